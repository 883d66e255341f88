/// Writes texts one after the other into memory that has room for all of them.
struct Pen {
    private let start: UnsafeMutablePointer<UInt8>
    /// How much was written, in bytes.
    private(set) var offset = 0

    /// - Parameter start: of the memory
    init(_ start: UnsafeMutablePointer<UInt8>) { self.start = start }

    @inline(__always)
    mutating func write(_ byte: UInt8) {
        start[offset] = byte
        offset &+= 1
    }

    @inline(__always)
    mutating func write(_ text: StaticString) {
        write(from: text.utf8Start, text.utf8CodeUnitCount)
    }

    @inline(__always)
    mutating func write(_ digits: Digits) {
        digits.withBytes { write(from: $0, $1) }
    }

    @inline(__always)
    mutating func write(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        write(text, range.lowerBound, range.count)
    }

    @inline(__always)
    mutating func write(_ text: UnsafeBufferPointer<UInt8>, _ from: Int, _ count: Int) {
        guard let source = text.baseAddress else { return }
        write(from: source + from, count)
    }

    @inline(__always)
    private mutating func write(from source: UnsafePointer<UInt8>, _ count: Int) {
        (start + offset).update(from: source, count: count)
        offset &+= count
    }
}

/// A whole number in decimal.
struct Digits {
    /// The digits, the last one in the last byte.
    private var bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)
    /// How many there are, a sign included.
    let count: Int

    private static let room = 24

    @inline(__always)
    init(_ value: Int64) {
        var rest = value.magnitude
        var length = 0
        withUnsafeMutableBytes(of: &bytes) { bytes in
            repeat {
                length &+= 1
                bytes[Self.room &- length] =
                    UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if value < 0 {
                length &+= 1
                bytes[Self.room &- length] = UInt8(ascii: "-")
            }
        }
        count = length
    }

    /// How many bytes a number takes.
    @inline(__always)
    static func count(_ value: Int64) -> Int {
        var (count, limit) = (1, UInt64(10))
        let magnitude = value.magnitude
        while magnitude >= limit {
            count &+= 1
            // The greatest magnitude has 19 digits, which 10^19 is above.
            limit &*= 10
        }
        return value < 0 ? count &+ 1 : count
    }

    /// Calls `body` with the digits.
    @inline(__always)
    func withBytes(_ body: (UnsafePointer<UInt8>, Int) -> Void) {
        withUnsafeBytes(of: bytes) { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            body(start + (Self.room - count), count)
        }
    }
}
