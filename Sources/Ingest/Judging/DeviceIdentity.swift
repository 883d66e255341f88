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

/// Ids that many devices share (docs/protocol.md, Device identity): what a platform or a client
/// gives where it has no id. Compared without case.
package enum SharedIdentity {
    /// Ids by themselves, in lower case.
    package static let known: Set<String> = [
        "9774d56d682e549c", "unknown", "undefined", "null", "nil", "none", "nan", "0", "true",
        "false", "id", "user", "guest", "anonymous", "system", "[object object]",
    ]

    /// Whether the raw id is one of them, is only zeros but for `-` and `:`, or is what the Android
    /// client of 2013 makes of nothing or of the model alone.
    ///
    /// - Parameters:
    ///   - rawID: UTF-8 as sent, 1 to 256 bytes
    ///   - model: `device.model.identifier`, "" if it was not given
    package static func isShared(_ rawID: [UInt8], model: String) -> Bool {
        if rawID.allSatisfy({ $0 == zero || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ":") }) {
            return true
        }
        // Most are longer than any known one, and no hash in hex.
        guard rawID.count <= maxKnownLength || mayBeHash(rawID) else { return false }
        let lowered = rawID.map(lowercased)
        if lowered.count <= maxKnownLength, known.contains(String(decoding: lowered, as: UTF8.self))
        {
            return true
        }
        // Only what might be a SHA-1 in hex is worth making one.
        guard mayBeHash(lowered) else { return false }
        return isHash(lowered, of: []) || isHash(lowered, of: Array(model.utf8))
    }

    private static let zero = UInt8(ascii: "0")
    private static let maxKnownLength = known.map(\.utf8.count).max() ?? 0

    /// Whether `hex` is the SHA-1 of `text`, with all of its leading zeros or with none: that
    /// client prints the hash as a number.
    private static func isHash(_ hex: [UInt8], of text: [UInt8]) -> Bool {
        let digits = Array("0123456789abcdef".utf8)
        let whole = Hashing.sha1(text.span).flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
        return hex == whole || hex.elementsEqual(whole.drop { $0 == zero })
    }

    private static func mayBeHash(_ rawID: [UInt8]) -> Bool {
        rawID.count <= 40 && rawID.allSatisfy { isHexDigit(lowercased($0)) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (zero...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
