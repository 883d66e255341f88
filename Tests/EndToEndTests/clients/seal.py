#!/usr/bin/env python3
"""A client that shares no code with the server: seals a batch by RFC 8188 from the text of the
standard alone, with Python's `cryptography`, and posts it.

    seal.py URL APP KEYID SECRET(base64url or hex) < batch.json

Prints the status and the answer; exits 0 if the status is 200.
"""
import base64
import gzip
import hashlib
import hmac
import os
import struct
import sys
import urllib.error
import urllib.request

from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def hkdf(salt, secret, info, length):
    """RFC 5869 with SHA-256, for at most one block."""
    pseudorandom = hmac.new(salt, secret, hashlib.sha256).digest()
    return hmac.new(pseudorandom, info + b"\x01", hashlib.sha256).digest()[:length]


def seal(plain, key_id, secret, record_size=4096):
    """RFC 8188 §2: header block, then records; 2 delimits the last one, 1 all others."""
    salt = os.urandom(16)
    key = hkdf(salt, secret, b"Content-Encoding: aes128gcm\x00", 16)
    base = int.from_bytes(hkdf(salt, secret, b"Content-Encoding: nonce\x00", 12), "big")
    body = salt + struct.pack(">IB", record_size, len(key_id)) + key_id
    step = record_size - 17
    pieces = [plain[i:i + step] for i in range(0, len(plain), step)] or [b""]
    for number, piece in enumerate(pieces):
        delimiter = b"\x02" if number == len(pieces) - 1 else b"\x01"
        nonce = (base ^ number).to_bytes(12, "big")
        body += AESGCM(key).encrypt(nonce, piece + delimiter, None)
    return body


def octets(text):
    if len(text) == 64:
        return bytes.fromhex(text)
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def main():
    url, app, key_id, secret = sys.argv[1:5]
    batch = sys.stdin.buffer.read()
    request = urllib.request.Request(
        f"{url}/v1/apps/{app}/batches",
        seal(gzip.compress(batch), key_id.encode(), octets(secret)),
        {"Content-Type": "application/json", "Content-Encoding": "gzip, aes128gcm"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            status, text = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read()
    print(status, text.decode())
    return 0 if status == 200 else 1


sys.exit(main())
