import Core
import Foundation
import JSON

#if canImport(CryptoKit)
import CryptoKit
#elseif canImport(Crypto)
import Crypto
#else
#error("on Linux, set CLIENT_DEVELOPMENT=1: swift-crypto stands in for CryptoKit")
#endif

/// Compresses and seals batches as their profile wants it (wire.md §1), anew at each attempt.
struct Sealer: Sendable {
    /// Bytes of a sealed body at most (client.md §4).
    static let maxBody = 65_535

    private enum Secret: Sendable {
        case aes128gcm(keyID: String, secret: SymmetricKey)
        case jwe(keyID: String, key: P256.KeyAgreement.PublicKey)
    }

    private let secret: Secret
    /// Header fields of a request.
    let fields: [(name: String, value: String)]

    /// Takes a key; nil where it is none.
    init?(_ key: Key) {
        switch key {
        case .aes128gcm(let text):
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, (1...32).contains(parts[0].utf8.count),
                let secret = Base64URL.decode(String(parts[1])), secret.count == 32
            else { return nil }
            self.secret = .aes128gcm(keyID: String(parts[0]), secret: SymmetricKey(data: secret))
            fields = [
                ("Content-Type", "application/json"), ("Content-Encoding", "gzip, aes128gcm"),
            ]
        case .jwe(let keyID, let jwk, let token):
            guard let members = JWK(jwk),
                let key = try? P256.KeyAgreement.PublicKey(rawRepresentation: members.point)
            else { return nil }
            secret = .jwe(keyID: keyID, key: key)
            fields = [("Content-Type", "application/jose"), ("Authorization", "Bearer \(token)")]
        }
    }

    /// How large a batch is when it is sealed, as a quotient of what it may be.
    func excess(_ text: [UInt8]) -> Double {
        let form: Deflate.Form
        let room: Int
        switch secret {
        case .aes128gcm: (form, room) = (.gzip, Self.maxBody - 128)
        // base64url, and a header of some 300 characters.
        case .jwe: (form, room) = (.raw, (Self.maxBody - 1024) / 4 * 3)
        }
        guard let packed = Deflate.compress(text, form) else { return 2 }
        return Double(packed.count) / Double(room)
    }

    /// A body of its own salt or ephemeral key; nil where the system makes none.
    func seal(_ text: [UInt8]) -> [UInt8]? {
        switch secret {
        case .aes128gcm(let keyID, let secret):
            guard let packed = Deflate.compress(text, .gzip) else { return nil }
            return Self.contentCoding(packed, keyID: keyID, secret: secret)
        case .jwe(let keyID, let key):
            guard let packed = Deflate.compress(text, .raw) else { return nil }
            return Self.compact(packed, keyID: keyID, key: key)
        }
    }

    /// RFC 8188, in one record.
    private static func contentCoding(
        _ plain: [UInt8], keyID: String, secret: SymmetricKey
    ) -> [UInt8]? {
        let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
        func derive(_ info: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: secret, salt: salt, info: Array("\(info)\0".utf8),
                outputByteCount: count)
        }
        let key = derive("Content-Encoding: aes128gcm", 16)
        let nonce = derive("Content-Encoding: nonce", 12).withUnsafeBytes { Array($0) }
        guard let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.seal(plain + [2], using: key, nonce: nonce)
        else { return nil }
        var out = salt
        let recordSize = UInt32(max(18, plain.count + 17))
        for shift in [24, 16, 8, 0] as [UInt32] {
            out.append(UInt8(truncatingIfNeeded: recordSize >> shift))
        }
        out.append(UInt8(keyID.utf8.count))
        out += keyID.utf8
        out += box.ciphertext
        out += box.tag
        return out
    }

    /// RFC 7516: ECDH-ES directly, A128GCM, deflated.
    private static func compact(
        _ plain: [UInt8], keyID: String, key: P256.KeyAgreement.PublicKey
    ) -> [UInt8]? {
        let ephemeral = P256.KeyAgreement.PrivateKey()
        guard let shared = try? ephemeral.sharedSecretFromKeyAgreement(with: key) else {
            return nil
        }
        let point = Array(ephemeral.publicKey.rawRepresentation)
        let epk =
            "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(Base64URL.encode(point[..<32]))\","
            + "\"y\":\"\(Base64URL.encode(point[32...]))\"}"
        let header = Base64URL.encode(
            ("{\"alg\":\"ECDH-ES\",\"enc\":\"A128GCM\",\"kid\":\"\(keyID)\",\"zip\":\"DEF\","
                + "\"epk\":\(epk)}").utf8)
        guard
            let box = try? AES.GCM.seal(
                plain, using: contentKey(shared), authenticating: Array(header.utf8))
        else { return nil }
        let nonce = box.nonce.withUnsafeBytes { Array($0) }
        return Array(
            ([header, ""] + [nonce, Array(box.ciphertext), Array(box.tag)].map(Base64URL.encode))
                .joined(separator: ".").utf8)
    }

    /// One round of Concat KDF (RFC 7518 §4.6.2).
    private static func contentKey(_ shared: SharedSecret) -> SymmetricKey {
        var hash = SHA256()
        hash.update(data: [0, 0, 0, 1] as [UInt8])
        shared.withUnsafeBytes { hash.update(bufferPointer: $0) }
        hash.update(data: [0, 0, 0, 7] as [UInt8] + Array("A128GCM".utf8))
        hash.update(data: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128] as [UInt8])
        return SymmetricKey(data: Array(hash.finalize().prefix(16)))
    }
}

/// The point of a public key of P-256 (RFC 7518 §6.2.1).
private struct JWK {
    let point: [UInt8]

    init?(_ text: String) {
        let bytes = Array(text.utf8)[...]
        guard let members = try? Tree(bytes.span) else { return nil }
        func member(_ name: String) -> String {
            String(decoding: members[name]?.text ?? [], as: UTF8.self)
        }
        guard member("kty") == "EC", member("crv") == "P-256",
            let x = Base64URL.decode(member("x")), x.count == 32,
            let y = Base64URL.decode(member("y")), y.count == 32
        else { return nil }
        point = x + y
    }
}
