/// Writes JSON: appends to its bytes and sets the commas. Strings have only the escapes that JSON
/// demands, in the form of RFC 8785 §3.2.2.2, no space stands anywhere.
///
///     var writer = Writer()
///     writer.beginObject()
///     writer.member("accepted", 3)
///     writer.name("rows")
///     writer.beginArray()
///     …
package struct Writer: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(reserving capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// Hands out what was written and begins again.
    package mutating func take() -> [UInt8] {
        defer {
            bytes = []
            needsComma = false
        }
        return bytes
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// A member's name; its value comes next.
    package mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A member's name in which nothing is to be escaped.
    package mutating func name(plain name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func string(_ text: String) {
        separate()
        Writer.append(text, to: &bytes)
    }

    /// A string given as its UTF-8.
    package mutating func string(_ utf8: Span<UInt8>) {
        separate()
        Writer.append(utf8, to: &bytes)
    }

    package mutating func integer(_ value: Int64) {
        separate()
        Writer.append(value, to: &bytes)
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes += value ? "true".utf8 : "false".utf8
    }

    package mutating func null() {
        separate()
        bytes += "null".utf8
    }

    /// The shortest form of a double (RFC 8785 §3.2.2.3); `null` if it is not finite.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        DecimalForm.append(value, to: &bytes)
    }

    /// A whole number of units of 10^-decimals, always with that many decimals: `fixed(1500,
    /// decimals: 3)` is `1.500`.
    package mutating func fixed(_ units: Int64, decimals: Int) {
        separate()
        Writer.append(units, decimals: decimals, to: &bytes)
    }

    /// A value that is JSON already.
    package mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes += json
    }

    /// A value that is JSON already.
    package mutating func raw(_ json: Span<UInt8>) {
        separate()
        json.withUnsafeBufferPointer { bytes += $0 }
    }

    package mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    package mutating func member(_ name: String, _ value: some BinaryInteger) {
        self.name(name)
        integer(Int64(clamping: value))
    }

    package mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    private mutating func open(_ byte: UInt8) {
        separate()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}
