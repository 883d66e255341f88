import FuzzSupport
import Sealing

/// Records whose plain octets are anything: sealed by another hand than `ContentCoding.seal`, and
/// judged by the rules of RFC 8188 §2 once more.
enum Records {
    nonisolated(unsafe) private static let cipher = AESGCM(.bits128)

    static func check(_ plain: [UInt8], recordSize: Int) {
        let step = recordSize - AESGCM.tagSize
        let salt = [UInt8](repeating: 7, count: 16)
        let key = derived("Content-Encoding: aes128gcm\0", salt, 16)
        let base = derived("Content-Encoding: nonce\0", salt, 12)
        var body = salt
        for shift in [24, 16, 8, 0] { body.append(UInt8(truncatingIfNeeded: recordSize >> shift)) }
        body.append(0)
        var content: [UInt8]? = plain.isEmpty ? nil : []
        for (number, start) in stride(from: 0, to: plain.count, by: step).enumerated() {
            let record = Array(plain[start..<min(start + step, plain.count)])
            var nonce = base
            for place in 0..<4 {
                nonce[11 - place] ^= UInt8(truncatingIfNeeded: number >> (8 * place))
            }
            body += cipher.seal(
                record.span, key: key.span, nonce: nonce.span, associated: [UInt8]().span)
            let isLast = start + step >= plain.count
            if let end = record.lastIndex(where: { $0 != 0 }), record[end] == (isLast ? 2 : 1) {
                content? += record[..<end]
            } else {
                content = nil
            }
        }
        expect(Bodies.open(body) == content, "other records are taken than RFC 8188 allows")
    }

    private static func derived(_ info: String, _ salt: [UInt8], _ count: Int) -> [UInt8] {
        HKDF.sha256(
            secret: Bodies.secret.span, salt: salt.span, info: Array(info.utf8).span, count: count)
    }
}
