import Database
import Glibc
import JSON
import Storage

/// Numbers for texts, from 0 in order of appearance: reports that count by text count by these
/// numbers, and no text becomes an object. Finding one costs the same however many there are and
/// whichever texts a sender chose: the key of `TextHash` is secret.
struct TextCodes: Sendable {
    private var bytes: [UInt8] = []
    /// The offset at which each text ends in `bytes`; it begins where the one before ends.
    private var ends: [Int] = []
    private var slots = HashSlots()
    private var scratch: [UInt8] = []
    private let hash = TextHash.process
    private var held: HeldBytes

    /// How many texts are merged between two checks whether the report has to end.
    private static let stride = 4096

    /// An empty set of texts.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) { held = HeldBytes(account) }

    /// Bytes that they take, about.
    var allocatedBytes: Int {
        bytes.allocatedBytes + ends.allocatedBytes + slots.allocatedBytes
    }

    /// How many texts have a number.
    var count: Int { ends.count }

    /// The number of a text, a new one if it has none.
    mutating func code(of text: Span<UInt8>) -> Int {
        let hash = hash.hash(text, 0, text.count)
        if let code = slots.number(hash, where: { matches($0, text) }) { return code }
        if bytes.count + text.count > bytes.capacity { bytes.grow(text.count, &held) }
        text.withUnsafeBufferPointer { bytes += $0 }
        let before = slots.allocatedBytes
        slots.insert(ends.count, hash)
        held.add(slots.allocatedBytes - before)
        ends.append(bytes.count, &held)
        return ends.count - 1
    }

    /// The number of a text; nil if it has none.
    func known(_ text: Span<UInt8>) -> Int? {
        slots.number(hash.hash(text, 0, text.count)) { matches($0, text) }
    }

    /// The number here of the text that has a number there; nil if it has none.
    func known(_ code: Int, of other: borrowing TextCodes) -> Int? {
        known(other.bytes.span.extracting(other.range(code)))
    }

    /// The number of a JSON scalar's text; nil if it has none.
    func known(scalar json: Span<UInt8>) -> Int? {
        guard json.count >= 2, json[0] == UInt8(ascii: "\"") else { return known(json) }
        let inner = json.extracting(1..<json.count - 1)
        guard inner.contains(UInt8(ascii: "\\")) else { return known(inner) }
        var text: [UInt8] = []
        let count = Self.unescape(json, into: &text)
        return known(text.span.extracting(0..<count))
    }

    /// The number of a JSON scalar's text, a new one if it has none: of a string without quotes and
    /// escapes, of anything else the JSON text itself. So `5` and `"5"` are one. The scalar has to
    /// be in the form in which batches store it.
    mutating func code(ofScalar json: Span<UInt8>) -> Int {
        guard json.count >= 2, json[0] == UInt8(ascii: "\"") else { return code(of: json) }
        let inner = json.extracting(1..<json.count - 1)
        guard inner.contains(UInt8(ascii: "\\")) else { return code(of: inner) }
        var text = scratch
        scratch = []
        let count = Self.unescape(json, into: &text)
        defer { scratch = text }
        return code(of: text.span.extracting(0..<count))
    }

    /// Gives numbers to the texts of another. Throws if the report has to end.
    /// - Returns: the numbers here, by the other's numbers
    mutating func merge(_ other: borrowing TextCodes) throws(StorageError) -> [Int] {
        var codes: [Int] = []
        codes.reserveCapacity(other.count)
        for code in 0..<other.count {
            if code % Self.stride == 0 { try held.account.check() }
            codes.append(self.code(of: other.bytes.span.extracting(other.range(code))))
        }
        return codes
    }

    /// The text of a number.
    subscript(code: Int) -> ByteText { ByteText(bytes: Array(bytes[range(code)])) }

    /// The same of names as `TextSums` has them: text n is name n + 1, and no text comes first.
    func precedes(name a: Int, _ b: Int) -> Bool {
        a == 0 ? b != 0 : b != 0 && precedes(a - 1, b - 1)
    }

    /// The text of such a name; nil for none.
    func text(ofName name: Int) -> ByteText? { name == 0 ? nil : self[name - 1] }

    /// Whether the text of one number comes before that of another, by bytes.
    func precedes(_ a: Int, _ b: Int) -> Bool {
        let (a, b) = (range(a), range(b))
        let order = bytes.withUnsafeBytes { all in
            all.baseAddress.map {
                memcmp($0 + a.lowerBound, $0 + b.lowerBound, min(a.count, b.count))
            } ?? 0
        }
        return order != 0 ? order < 0 : a.count < b.count
    }

    private func range(_ code: Int) -> Range<Int> { (code == 0 ? 0 : ends[code - 1])..<ends[code] }

    private func matches(_ code: Int, _ text: Span<UInt8>) -> Bool {
        let range = range(code)
        guard range.count == text.count else { return false }
        for index in text.indices where bytes[range.lowerBound + index] != text[index] {
            return false
        }
        return true
    }

    /// Unescapes a JSON string. One that cannot be parsed, which batches never store, stays as it
    /// is.
    private static func unescape(_ json: Span<UInt8>, into out: inout [UInt8]) -> Int {
        var scanner = Scanner()
        if let text = try? scanner.value(json).text { return text.unescape(json, into: &out) }
        out = json.withUnsafeBufferPointer { Array($0) }
        return out.count
    }
}

extension Span<UInt8> {
    fileprivate func contains(_ byte: UInt8) -> Bool {
        for index in indices where self[index] == byte { return true }
        return false
    }
}
