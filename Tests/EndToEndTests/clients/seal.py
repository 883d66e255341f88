#!/usr/bin/env python3
"""A client that shares no code with the server: seals a batch by the text of the standards alone,
with Python's `cryptography`, and posts it.

    seal.py PROFILE URL APP KEYID SECRETFILE [TOKEN] < batch.json

PROFILE is one of those below. The secret file holds 16 or 32 octets in hex or base64url, or for jwe
the public key as a JWK. Prints the status and the answer; exits 0 if the status is 200.
"""
import base64
import gzip
import hashlib
import hmac
import json
import os
import struct
import sys
import urllib.error
import urllib.request
import zlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def base64url(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=")


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def octets(text):
    """A symmetric secret, which has 16 or 32 octets: no text of it can be taken for the other form."""
    return bytes.fromhex(text) if len(text) in (32, 64) else from_base64url(text)


def number(text):
    return int.from_bytes(from_base64url(text), "big")


def hkdf(salt, secret, info, length):
    """RFC 5869 with SHA-256, for at most one block."""
    pseudorandom = hmac.new(salt, secret, hashlib.sha256).digest()
    return hmac.new(pseudorandom, info + b"\x01", hashlib.sha256).digest()[:length]


def content_coding(plain, key_id, secret, record_size=4096, padding_octets=0):
    """RFC 8188 §2: header block, then records; 2 delimits the last one, 1 all others."""
    salt = os.urandom(16)
    key = hkdf(salt, secret, b"Content-Encoding: aes128gcm\x00", 16)
    base = int.from_bytes(hkdf(salt, secret, b"Content-Encoding: nonce\x00", 12), "big")
    body = salt + struct.pack(">IB", record_size, len(key_id)) + key_id
    step = record_size - 17 - padding_octets
    pieces = [plain[i:i + step] for i in range(0, len(plain), step)] or [b""]
    for count, piece in enumerate(pieces):
        delimiter = b"\x02" if count == len(pieces) - 1 else b"\x01"
        nonce = (base ^ count).to_bytes(12, "big")
        body += AESGCM(key).encrypt(nonce, piece + delimiter + bytes(padding_octets), None)
    return body


def concat_kdf(shared, encryption, size):
    """RFC 7518 §4.6.2 for one round of SHA-256, without apu and apv."""
    label = encryption.encode()
    return hashlib.sha256(
        struct.pack(">I", 1) + shared + struct.pack(">I", len(label)) + label
        + struct.pack(">III", 0, 0, size * 8)).digest()[:size]


def jwe(plain, key_id, jwk, encryption, compressed):
    """RFC 7516 §5.1, compact serialization."""
    header = {"alg": jwk["alg"], "enc": encryption, "kid": key_id.decode()}
    size = {"A128GCM": 16, "A256GCM": 32}[encryption]
    if compressed:
        deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
        plain = deflate.compress(plain) + deflate.flush()
        header["zip"] = "DEF"
    wrapped = b""
    if jwk["kty"] == "EC":
        peer = ec.EllipticCurvePublicNumbers(
            number(jwk["x"]), number(jwk["y"]), ec.SECP256R1()).public_key()
        own = ec.generate_private_key(ec.SECP256R1())
        point = own.public_key().public_numbers()
        header["epk"] = {
            "kty": "EC", "crv": "P-256", "x": base64url(point.x.to_bytes(32, "big")).decode(),
            "y": base64url(point.y.to_bytes(32, "big")).decode()}
        key = concat_kdf(own.exchange(ec.ECDH(), peer), encryption, size)
    else:
        key = os.urandom(size)
        public = rsa.RSAPublicNumbers(number(jwk["e"]), number(jwk["n"])).public_key()
        wrapped = public.encrypt(
            key, padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None))
    protected = base64url(json.dumps(header).encode())
    nonce = os.urandom(12)
    sealed = AESGCM(key).encrypt(nonce, plain, protected)
    return b".".join(
        [protected] + [base64url(part) for part in (wrapped, nonce, sealed[:-16], sealed[-16:])])


def legacy(plain, secret):
    """The design of 2013: AES-128 in ECB mode with PKCS#7 padding."""
    pad = 16 - len(plain) % 16
    cipher = Cipher(algorithms.AES(secret), modes.ECB()).encryptor()
    return cipher.update(plain + bytes([pad]) * pad) + cipher.finalize()


def request(profile, app, key_id, secret, token, batch):
    """Path, header fields and body for each profile that the Swift tests name."""
    json_type = {"Content-Type": "application/json"}
    bearer = {"Authorization": f"Bearer {token}"}
    batches = f"/v1/apps/{app}/batches"
    sealed = {**json_type, "Content-Encoding": "gzip, aes128gcm"}
    if profile == "aes128gcm":
        return batches, sealed, content_coding(gzip.compress(batch), key_id, octets(secret))
    if profile == "aes128gcm-padded":
        return batches, sealed, content_coding(gzip.compress(batch), key_id, octets(secret), 40, 7)
    if profile == "aes128gcm-without-gzip":
        return (batches, {**json_type, "Content-Encoding": "aes128gcm"},
                content_coding(batch, key_id, octets(secret), 18))
    if profile.startswith("jwe-"):
        _, encryption, *rest = profile.split("-")
        return (batches, {"Content-Type": "application/jose", **bearer},
                jwe(batch, key_id, json.loads(secret), encryption, rest == ["zip"]))
    if profile == "plain":
        return batches, {**json_type, **bearer}, batch
    if profile == "plain-gzip":
        return (batches, {**json_type, **bearer, "Content-Encoding": "gzip"}, gzip.compress(batch))
    if profile == "legacy":
        return (f"/v1/legacy/{key_id.decode()}", {"Content-Type": "application/octet-stream"},
                legacy(gzip.compress(batch), octets(secret)))
    sys.exit(f"no profile {profile}")


def main():
    profile, url, app, key_id, secret_file = sys.argv[1:6]
    token = sys.argv[6] if len(sys.argv) > 6 else ""
    with open(secret_file, encoding="ascii") as file:
        secret = file.read().strip()
    path, fields, body = request(
        profile, app, key_id.encode(), secret, token, sys.stdin.buffer.read())
    try:
        with urllib.request.urlopen(
                urllib.request.Request(url + path, body, fields), timeout=30) as answer:
            status, text = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read()
    print(status, text.decode())
    return 0 if status == 200 else 1


sys.exit(main())
