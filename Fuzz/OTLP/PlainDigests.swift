import Events
import Sealing

/// By what records and batches are known again, as docs/opentelemetry.md, What is known again, defines it.
enum PlainDigests {
    static func resource(_ texts: [[UInt8]]) -> [UInt8] { sha256(texts.flatMap(text)) }

    static func record(_ record: PlainRecord, _ resource: [UInt8]) -> [UInt8] {
        if let code = record.code {
            return sha256(resource + [0] + number(record.time) + text(Array(code)))
        }
        return sha256(
            resource + [1] + number(record.time) + text(record.name)
                + record.attributes.flatMap { text($0.key) + text($0.json) })
    }

    static func batch(_ records: [[UInt8]], _ resource: [UInt8]) -> String {
        let heads = records.map { $0.prefix(16) }.sorted { $0.lexicographicallyPrecedes($1) }
        let hex = sha256(resource + heads.joined()).prefix(16).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "otlp:" + hex.joined()
    }

    /// The first 64 bits.
    static func fingerprint(_ digest: [UInt8]) -> Fingerprint {
        Fingerprint(digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    private static func text(_ text: [UInt8]) -> [UInt8] {
        Array(number(UInt64(text.count)).suffix(4)) + text
    }

    private static func number(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
    }

    private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        Hashing.sha256(bytes.span).withBytes { bytes in
            bytes.withUnsafeBufferPointer { Array($0) }
        }
    }
}
