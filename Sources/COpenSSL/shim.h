/* The SHA256_*, SHA1_* and MD5_* functions are marked deprecated since 3.0, and a warning is an error here. Theirs is the only digest
   state that can be copied without an allocation, which is what a kept HMAC key schedule is: HKDF of a small body costs a
   third of what EVP_MAC takes for it. Nothing else that is deprecated is used. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

/* Swift does not see macros that are made of other macros' expressions. */
enum { COpenSSL_publicKeySelection = EVP_PKEY_PUBLIC_KEY };
