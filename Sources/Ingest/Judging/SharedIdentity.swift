import Sealing

/// Ids that many devices share (docs/protocol.md, Ids that many devices share): what a platform or a client gives
/// where it has no id. Compared without case. Most ids are none of them by their first bytes.
package enum SharedIdentity {
    /// Ids by themselves, in lower case; the last is every iPhone's MAC address since 2013.
    package static let texts = [
        "9774d56d682e549c", "unknown", "undefined", "null", "nil", "none", "nan", "0", "true",
        "false", "id", "user", "guest", "anonymous", "system", "[object object]", "(null)",
        "<null>", "optional(nil)", "n/a", "02:00:00:00:00:00",
    ]

    /// Whether the raw id is one of them, with or without its `-` and `:` that address or nothing but zeros or `f`s, or
    /// the MD5 or SHA-1 of one, of nothing or of the model.
    ///
    /// - Parameters:
    ///   - rawID: UTF-8 as sent, 1 to 256 bytes
    ///   - model: `device.model.identifier`, "" if it was not given
    package static func isShared(_ rawID: [UInt8], model: String) -> Bool {
        isFiller(rawID) || isText(rawID) || isHash(rawID, model: model)
    }

    /// Only zeros, only `f`s or the address, whatever separates them.
    private static func isFiller(_ rawID: [UInt8]) -> Bool {
        var (hasOnlyZeros, hasOnlyFs, isAddress) = (true, true, true)
        var count = 0
        for byte in rawID where byte != UInt8(ascii: "-") && byte != UInt8(ascii: ":") {
            switch lowercased(byte) {
            case zero:
                hasOnlyFs = false
                isAddress = isAddress && count != 1
            case UInt8(ascii: "2"):
                (hasOnlyZeros, hasOnlyFs) = (false, false)
                isAddress = isAddress && count == 1
            case UInt8(ascii: "f"): (hasOnlyZeros, isAddress) = (false, false)
            default: return false
            }
            guard hasOnlyZeros || hasOnlyFs || isAddress else { return false }
            count += 1
        }
        return hasOnlyZeros || hasOnlyFs || isAddress && count == 12
    }

    private static func isText(_ rawID: [UInt8]) -> Bool {
        guard rawID.count < textsByCount.count else { return false }
        return textsByCount[rawID.count].contains { text in
            zip(text, rawID).allSatisfy { $0 == lowercased($1) }
        }
    }

    /// `texts` by how many bytes they have.
    private static let textsByCount: [[[UInt8]]] = {
        let longest = texts.map(\.utf8.count).max() ?? 0
        return (0...longest).map { count in
            texts.filter { $0.utf8.count == count }.map { Array($0.utf8) }
        }
    }()

    /// A hash may be printed as a number, without the zeros that it begins with: more than seven has one in 2^32.
    private static let maxDroppedZeros = 7
    private static let md5Digits = 32
    private static let sha1Digits = 40

    /// Whether it is the MD5 or the SHA-1, in hex, of one of the texts, of nothing or of the model.
    private static func isHash(_ rawID: [UInt8], model: String) -> Bool {
        let isMD5 = (md5Digits - maxDroppedZeros...md5Digits).contains(rawID.count)
        let isSHA1 = (sha1Digits - maxDroppedZeros...sha1Digits).contains(rawID.count)
        guard isMD5 || isSHA1, rawID.allSatisfy(isHexDigit) else { return false }
        let hex = rawID.map(lowercased)
        if hashes.contains(hex) { return true }
        guard !model.isEmpty else { return false }
        let digest = isMD5 ? Hashing.md5(model.utf8.span) : Hashing.sha1(model.utf8.span)
        return forms(of: digest).contains(hex)
    }

    /// The hashes of the texts as clients may write them, and of nothing.
    private static let hashes: Set<[UInt8]> = {
        var hashed: Set<String> = ["", "[object Object]"]
        for text in texts {
            hashed.insert(text)
            hashed.insert(text.prefix(1).uppercased() + text.dropFirst())
            hashed.insert(text.uppercased())
            hashed.insert(text.filter { $0 != ":" })
        }
        return Set(
            hashed.flatMap { text in
                forms(of: Hashing.md5(text.utf8.span)) + forms(of: Hashing.sha1(text.utf8.span))
            })
    }()

    /// A digest in hex, with all the zeros that it begins with and with none.
    private static func forms(of digest: [UInt8]) -> [[UInt8]] {
        let digits = Array("0123456789abcdef".utf8)
        let whole = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return [whole, Array(whole.drop { $0 == zero })]
    }

    private static let zero = UInt8(ascii: "0")

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (zero...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
