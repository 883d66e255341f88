import Events
import Sealing

/// Hashes raw device ids (docs/protocol.md, Device identity): the first 16 bytes of HMAC-SHA-256
/// under the pepper over the app's name, a zero byte and the raw id. One for each worker.
package final class DeviceIdentity {
    private let code: HMACSHA256

    package init(pepper: [UInt8]) { code = HMACSHA256(key: pepper.span) }

    package func hash(of raw: Span<UInt8>, app: String) -> DeviceHash {
        code.begin()
        code.update(Array(app.utf8).span)
        code.update([0].span)
        code.update(raw)
        let words = code.finish().words
        return DeviceHash(high: words.0, low: words.1)
    }
}
