import Crypto
import Foundation

/// A key of profile `aes128gcm`: opens bodies of RFC 8188.
struct ContentKey: Sendable {
    private static let saltLength = 16, tagLength = 16, headLength = 21
    private static let keyInfo = Data("Content-Encoding: aes128gcm\0".utf8)
    private static let nonceInfo = Data("Content-Encoding: nonce\0".utf8)

    private let id: Data
    private let secret: SymmetricKey

    init(id: String, secret: [UInt8]) {
        self.id = Data(id.utf8)
        self.secret = SymmetricKey(data: secret)
    }

    /// What was sealed. `body` begins at index 0.
    func open(_ body: Data) throws -> Data {
        guard body.count > Self.headLength else { throw Refusal.undecodable }
        let size = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let start = Self.headLength + Int(body[20])
        guard (18...1 << 20).contains(size), body.count > start else { throw Refusal.undecodable }
        guard body[Self.headLength..<start] == id else { throw Refusal.unknownKey }

        let pseudorandom = HKDF<SHA256>.extract(
            inputKeyMaterial: secret, salt: body[..<Self.saltLength])
        let key = HKDF<SHA256>.expand(
            pseudoRandomKey: pseudorandom, info: Self.keyInfo, outputByteCount: 16)
        let base = HKDF<SHA256>.expand(
            pseudoRandomKey: pseudorandom, info: Self.nonceInfo, outputByteCount: 12
        ).withUnsafeBytes { [UInt8]($0) }

        var plain = Data(capacity: body.count - start)
        for (number, at) in stride(from: start, to: body.count, by: size).enumerated() {
            let end = min(at + size, body.count)
            plain.append(
                try Self.open(
                    body[at..<end], key: key, nonce: Self.nonce(base, number),
                    isLast: end == body.count))
        }
        return plain
    }

    private static func nonce(_ base: [UInt8], _ number: Int) throws -> AES.GCM.Nonce {
        var octets = base
        for place in 0..<8 {
            octets[11 - place] ^= UInt8(truncatingIfNeeded: number >> (8 * place))
        }
        return try AES.GCM.Nonce(data: octets)
    }

    /// A record without its padding and delimiter (RFC 8188 §2).
    private static func open(
        _ record: Data, key: SymmetricKey, nonce: AES.GCM.Nonce, isLast: Bool
    ) throws -> Data {
        guard record.count > tagLength,
            let box = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: record.dropLast(tagLength), tag: record.suffix(tagLength)),
            let padded = try? AES.GCM.open(box, using: key),
            let delimiter = padded.lastIndex(where: { $0 != 0 }),
            padded[delimiter] == (isLast ? 2 : 1)
        else { throw Refusal.undecodable }
        return padded[..<delimiter]
    }
}
