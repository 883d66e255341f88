import Events
import Sealing

/// By what records and batches of records are known again: SHA-256 over a form that depends neither on their
/// encoding nor on the order in which things were sent (docs/opentelemetry.md, What is known again). No version may change it.
///
///     resource = SHA-256(8 × text)            the members in the order of the table
///     record   = SHA-256(resource, 1, time, text name, n × (text key, text value))
///                SHA-256(resource, 0, time, text code)                        one that was rejected
///     batch    = SHA-256(resource, n × record[0..<16])                        the records in order
///
/// A text has its length before it, four bytes; `time` is nanoseconds since 1970 in eight; numbers have their
/// highest byte first. A value is as RFC 8785 writes it, keys are in the order of their bytes.
struct RecordDigests: ~Copyable {
    private struct Digest {
        let high: UInt64
        let low: UInt64
    }

    /// The resource's digest, and what follows it.
    private var form = ByteArena()
    private var records: [Digest] = []

    /// The records that come next are of this resource.
    mutating func begin(_ resource: Resource) {
        form.reset()
        for index in Resource.members.indices { append(text: resource[index].utf8.span) }
        let digest = form.read(0..<form.count) { Hashing.sha256($0) }
        form.reset()
        digest.withBytes { form.append($0, 0, $0.count) }
    }

    /// Another batch of the resource begins.
    mutating func beginBatch() { records.removeAll(keepingCapacity: true) }

    /// A record begins that keeps all rules, as far as is known.
    /// - Parameter time: nanoseconds since 1970
    mutating func beginRecord(time: UInt64) { begin(1, time) }

    /// Appends a text with its length.
    @inline(__always)
    mutating func append(text: Span<UInt8>) {
        append(length: text.count)
        form.append(text, 0, text.count)
    }

    /// Appends a text as JSON: it needs no escapes.
    mutating func append(quoted text: Span<UInt8>) {
        append(length: text.count + 2)
        form.append(UInt8(ascii: "\""))
        form.append(text, 0, text.count)
        form.append(UInt8(ascii: "\""))
    }

    /// The record is whole.
    mutating func endRecord() -> Fingerprint {
        let digest = form.read(0..<form.count) { Hashing.sha256($0) }
        records.append(Digest(high: digest.words.0, low: digest.words.1))
        return Fingerprint(digest.words.0)
    }

    /// The record that was begun, or another one, was rejected.
    mutating func addRejected(time: UInt64, code: String) {
        begin(0, time)
        append(text: code.utf8.span)
        _ = endRecord()
    }

    /// The id of the batch.
    mutating func endBatch() -> String {
        records.sort { ($0.high, $0.low) < ($1.high, $1.low) }
        form.truncate(to: Digest256.count)
        for record in records {
            append(number: record.high)
            append(number: record.low)
        }
        let digest = form.read(0..<form.count) { Hashing.sha256($0) }
        form.truncate(to: Digest256.count)
        return "otlp:" + digest.hex.prefix(32)
    }

    private mutating func begin(_ kind: UInt8, _ time: UInt64) {
        form.truncate(to: Digest256.count)
        form.append(kind)
        append(number: time)
    }

    @inline(__always)
    private mutating func append(length: Int) {
        var length = UInt32(truncatingIfNeeded: length).bigEndian
        withUnsafeBytes(of: &length) { form.append(Span(_unsafeBytes: $0), 0, 4) }
    }

    @inline(__always)
    private mutating func append(number: UInt64) {
        var number = number.bigEndian
        withUnsafeBytes(of: &number) { form.append(Span(_unsafeBytes: $0), 0, 8) }
    }
}
