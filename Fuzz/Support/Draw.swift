/// Takes a fuzzer's octets apart: choices come from the back, so that what stands in front stays the
/// text it is and can be read, cut and joined as such.
package struct Draw {
    private let octets: UnsafeBufferPointer<UInt8>
    private var end: Int

    package init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        octets = UnsafeBufferPointer(start: start, count: count)
        end = count
    }

    /// The next choice; 0 once there is none.
    package mutating func octet() -> UInt8 {
        guard end > 0 else { return 0 }
        end -= 1
        return octets[end]
    }

    /// The next two choices as one number, 0...65535.
    package mutating func number() -> Int { Int(octet()) << 8 | Int(octet()) }

    /// What is left, in memory of exactly its size: a look beyond it is found.
    package var rest: [UInt8] { Array(octets[..<end]) }
}
