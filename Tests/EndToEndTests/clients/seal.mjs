// A client that shares no code with the server: seals a batch by the text of the standards alone,
// with Node's `crypto` and `zlib`, and posts it.
//
//     node seal.mjs PROFILE URL APP KEYID SECRETFILE [TOKEN] < batch.json
//
// PROFILE is one of those below. The secret file holds 16 or 32 octets in hex or base64url, or for
// jwe the public key as a JWK. Prints the status and the answer; exits 0 if the status is 200.
import crypto from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import zlib from "node:zlib";

const octets = (text) => Buffer.from(text, [32, 64].includes(text.length) ? "hex" : "base64url");

function gcm(key, nonce, plain, associated) {
  const cipher = crypto.createCipheriv(key.length === 16 ? "aes-128-gcm" : "aes-256-gcm", key, nonce);
  if (associated) cipher.setAAD(associated);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return [sealed, cipher.getAuthTag()];
}

// RFC 8188 §2: header block, then records; 2 delimits the last one, 1 all others.
function contentCoding(plain, keyID, secret, recordSize = 4096, padding = 0) {
  const salt = crypto.randomBytes(16);
  const derive = (info, size) =>
    Buffer.from(crypto.hkdfSync("sha256", secret, salt, `Content-Encoding: ${info}\0`, size));
  const key = derive("aes128gcm", 16);
  const base = derive("nonce", 12);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(recordSize, 0);
  head.writeUInt8(keyID.length, 4);
  const body = [salt, head, Buffer.from(keyID)];
  const step = recordSize - 17 - padding;
  for (let at = 0, number = 0; at === 0 || at < plain.length; at += step, number += 1) {
    const isLast = at + step >= plain.length;
    const nonce = Buffer.from(base);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ number) >>> 0, 8);
    const record = Buffer.concat([
      plain.subarray(at, at + step), Buffer.from([isLast ? 2 : 1]), Buffer.alloc(padding),
    ]);
    body.push(...gcm(key, nonce, record));
  }
  return Buffer.concat(body);
}

// RFC 7518 §4.6.2 for one round of SHA-256, without apu and apv.
function concatKDF(shared, encryption, size) {
  const number = (value) => {
    const out = Buffer.alloc(4);
    out.writeUInt32BE(value);
    return out;
  };
  return crypto.createHash("sha256").update(Buffer.concat([
    number(1), shared, number(encryption.length), Buffer.from(encryption), number(0), number(0),
    number(size * 8),
  ])).digest().subarray(0, size);
}

// RFC 7516 §5.1, compact serialization.
function jwe(plain, keyID, jwk, encryption, isCompressed) {
  const header = { alg: jwk.alg, enc: encryption, kid: keyID };
  const size = { A128GCM: 16, A256GCM: 32 }[encryption];
  const publicKey = crypto.createPublicKey({ key: jwk, format: "jwk" });
  if (isCompressed) {
    plain = zlib.deflateRawSync(plain);
    header.zip = "DEF";
  }
  let key;
  let wrapped = Buffer.alloc(0);
  if (jwk.kty === "EC") {
    const own = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { kty, crv, x, y } = own.publicKey.export({ format: "jwk" });
    header.epk = { kty, crv, x, y };
    key = concatKDF(
      crypto.diffieHellman({ privateKey: own.privateKey, publicKey }), encryption, size);
  } else {
    key = crypto.randomBytes(size);
    wrapped = crypto.publicEncrypt(
      { key: publicKey, padding: crypto.constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }, key);
  }
  const head = Buffer.from(JSON.stringify(header)).toString("base64url");
  const nonce = crypto.randomBytes(12);
  const [sealed, tag] = gcm(key, nonce, plain, Buffer.from(head));
  return Buffer.from(
    [head, ...[wrapped, nonce, sealed, tag].map((part) => part.toString("base64url"))].join("."));
}

// The design of 2013: AES-128 in ECB mode with PKCS#7 padding.
function legacy(plain, secret) {
  const cipher = crypto.createCipheriv("aes-128-ecb", secret, null);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

// Path, header fields and body for each profile that the Swift tests name.
function request(profile, app, keyID, secret, token, batch) {
  const json = { "Content-Type": "application/json" };
  const bearer = { Authorization: `Bearer ${token}` };
  const sealed = { ...json, "Content-Encoding": "gzip, aes128gcm" };
  const batches = `/v1/apps/${app}/batches`;
  if (profile.startsWith("jwe-")) {
    const [, encryption, zip] = profile.split("-");
    return [
      batches, { "Content-Type": "application/jose", ...bearer },
      jwe(batch, keyID, JSON.parse(secret), encryption, zip === "zip"),
    ];
  }
  switch (profile) {
    case "aes128gcm":
      return [batches, sealed, contentCoding(zlib.gzipSync(batch), keyID, octets(secret))];
    case "aes128gcm-padded":
      return [batches, sealed, contentCoding(zlib.gzipSync(batch), keyID, octets(secret), 40, 7)];
    case "aes128gcm-without-gzip":
      return [
        batches, { ...json, "Content-Encoding": "aes128gcm" },
        contentCoding(batch, keyID, octets(secret), 18),
      ];
    case "plain": return [batches, { ...json, ...bearer }, batch];
    case "plain-gzip":
      return [batches, { ...json, ...bearer, "Content-Encoding": "gzip" }, zlib.gzipSync(batch)];
    case "legacy":
      return [
        `/v1/legacy/${keyID}`, { "Content-Type": "application/octet-stream" },
        legacy(zlib.gzipSync(batch), octets(secret)),
      ];
    default: throw new Error(`no profile ${profile}`);
  }
}

const [profile, url, app, keyID, secretFile, token] = process.argv.slice(2);
const secret = fs.readFileSync(secretFile, "ascii").trim();
const [path, headers, body] = request(profile, app, keyID, secret, token, fs.readFileSync(0));
const post = http.request(
  url + path, { method: "POST", headers: { ...headers, "Content-Length": body.length } },
  (answer) => {
    let text = "";
    answer.setEncoding("utf8");
    answer.on("data", (piece) => { text += piece; });
    answer.on("end", () => {
      console.log(`${answer.statusCode} ${text}`);
      process.exitCode = answer.statusCode === 200 ? 0 : 1;
    });
  });
post.setTimeout(30000, () => post.destroy(new Error("no answer")));
post.end(body);
