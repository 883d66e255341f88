/* Sealing and opening a body as `aes128gcm` (RFC 8188), records of 4096 octets. */
#ifndef SEAL_H
#define SEAL_H
#include <openssl/evp.h>
#include <stddef.h>
#include <stdint.h>

struct content_key {
    uint8_t secret[32];
    char id[33];
    EVP_CIPHER_CTX *sealing, *opening;
};

/* `hex` is the key's secret: 64 digits. Ends the program where it is none. */
struct content_key *content_key_new(const char *id, const char *hex);

/* Room that sealing `n` octets may take. */
static inline size_t sealed_room(size_t n) { return 64 + n + (n / 4079 + 1) * 17; }

/* Writes the sealed body and returns its length. The salt is drawn from `salt_state`. */
size_t seal(struct content_key *k, uint64_t salt_state, const uint8_t *in, size_t n, uint8_t *out);

/* Returns the length of what was inside, -1 where it does not open. `out` has room for `n`. */
long unseal(struct content_key *k, const uint8_t *in, size_t n, uint8_t *out);

#endif
