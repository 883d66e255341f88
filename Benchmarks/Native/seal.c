#include "seal.h"
#include "fail.h"
#include "random.h"
#include "sha.h"

enum { RECORD = 4096, TAG = 16, HEAD = 21 };

struct content_key *content_key_new(const char *id, const char *hex) {
    struct content_key *k = calloc(1, sizeof *k);
    if (strlen(hex) != 64 || strlen(id) > 32)
        fail(64, "a key has an id of 1-32 and a secret of 64 hex digits");
    for (int i = 0; i < 32; i++) {
        unsigned value;
        if (sscanf(hex + 2 * i, "%2x", &value) != 1) fail(64, "the secret is not hex");
        k->secret[i] = (uint8_t)value;
    }
    memcpy(k->id, id, strlen(id) + 1);
    k->sealing = EVP_CIPHER_CTX_new(), k->opening = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(k->sealing, EVP_aes_128_gcm(), NULL, NULL, NULL);
    EVP_DecryptInit_ex(k->opening, EVP_aes_128_gcm(), NULL, NULL, NULL);
    return k;
}

static void derive(const struct content_key *k, const uint8_t *salt, uint8_t *key, uint8_t *nonce) {
    struct hmac_key extract, expand;
    uint8_t prk[32];
    hmac_key_set(&extract, salt, 16);
    hmac(&extract, k->secret, 32, prk);
    hmac_key_set(&expand, prk, 32);
    hmac(&expand, "Content-Encoding: aes128gcm\0\1", 29, key);
    hmac(&expand, "Content-Encoding: nonce\0\1", 25, nonce);
}

static void number_nonce(uint8_t *iv, const uint8_t *nonce, uint64_t record) {
    memcpy(iv, nonce, 12);
    for (int i = 0; i < 8; i++) iv[11 - i] ^= (uint8_t)(record >> (8 * i));
}

size_t seal(struct content_key *k, uint64_t salt_state, const uint8_t *in, size_t n, uint8_t *out) {
    uint8_t key[32], nonce[32], iv[12], *p = out;
    size_t id = strlen(k->id), at = 0;
    for (int i = 0; i < 2; i++) {
        uint64_t half = draw(&salt_state);
        memcpy(p, &half, 8), p += 8;
    }
    *p++ = 0, *p++ = 0, *p++ = RECORD >> 8, *p++ = RECORD & 255, *p++ = (uint8_t)id;
    memcpy(p, k->id, id), p += id;
    derive(k, out, key, nonce);
    EVP_EncryptInit_ex(k->sealing, NULL, NULL, key, NULL);
    for (uint64_t record = 0;; record++) {
        size_t part = n - at < RECORD - TAG - 1 ? n - at : RECORD - TAG - 1;
        uint8_t delimiter = at + part == n ? 2 : 1;
        int got;
        number_nonce(iv, nonce, record);
        EVP_EncryptInit_ex(k->sealing, NULL, NULL, NULL, iv);
        EVP_EncryptUpdate(k->sealing, p, &got, in + at, (int)part), p += got;
        EVP_EncryptUpdate(k->sealing, p, &got, &delimiter, 1), p += got;
        EVP_EncryptFinal_ex(k->sealing, p, &got);
        EVP_CIPHER_CTX_ctrl(k->sealing, EVP_CTRL_GCM_GET_TAG, TAG, p), p += TAG;
        at += part;
        if (delimiter == 2) return (size_t)(p - out);
    }
}

long unseal(struct content_key *k, const uint8_t *in, size_t n, uint8_t *out) {
    size_t id = strlen(k->id);
    if (n < HEAD + id + TAG + 1 || in[20] != id || memcmp(in + HEAD, k->id, id)) return -1;
    size_t size = (size_t)in[16] << 24 | (size_t)in[17] << 16 | (size_t)in[18] << 8 | in[19];
    if (size < 18 || size > 1 << 20) return -1;
    uint8_t key[32], nonce[32], iv[12], *to = out;
    derive(k, in, key, nonce);
    if (!EVP_DecryptInit_ex(k->opening, NULL, NULL, key, NULL)) return -1;
    const uint8_t *p = in + HEAD + id, *end = in + n;
    for (uint64_t record = 0; p < end; record++) {
        size_t part = (size_t)(end - p) < size ? (size_t)(end - p) : size;
        int got, none, last = p + part == end;
        if (part < TAG + 1) return -1;
        number_nonce(iv, nonce, record);
        EVP_DecryptInit_ex(k->opening, NULL, NULL, NULL, iv);
        EVP_DecryptUpdate(k->opening, to, &got, p, (int)(part - TAG));
        EVP_CIPHER_CTX_ctrl(k->opening, EVP_CTRL_GCM_SET_TAG, TAG, (void *)(p + part - TAG));
        if (EVP_DecryptFinal_ex(k->opening, to + got, &none) <= 0) return -1;
        while (got && !to[got - 1]) got--;
        if (!got || to[got - 1] != (last ? 2 : 1)) return -1;
        to += got - 1, p += part;
    }
    return to - out;
}
