extension RowBinary {
    /// Reads values, one after another:
    ///
    ///     var rows = RowBinary.Reader(answer)
    ///     while !rows.isAtEnd { sums[try rows.bytes()] = try rows.uint64() }
    ///
    /// Whatever the answer is, nothing traps: each call throws `Failure` where it has not the value.
    package struct Reader: Sendable {
        private let answer: [UInt8]
        /// Where the next value begins.
        package private(set) var offset = 0

        /// At the beginning of an answer.
        package init(_ answer: [UInt8]) { self.answer = answer }

        /// Whether all was read. Asked between two rows: then the answer has no further one.
        package var isAtEnd: Bool { offset == answer.count }

        /// How many bytes are left.
        package var remaining: Int { answer.count - offset }

        /// `UInt8`.
        package mutating func uint8() throws(Failure) -> UInt8 { try integer() }

        /// `UInt16`.
        package mutating func uint16() throws(Failure) -> UInt16 { try integer() }

        /// `UInt32`.
        package mutating func uint32() throws(Failure) -> UInt32 { try integer() }

        /// `UInt64`.
        package mutating func uint64() throws(Failure) -> UInt64 { try integer() }

        /// `Int64`.
        package mutating func int64() throws(Failure) -> Int64 { try integer() }

        /// `Float64`, to the bit.
        package mutating func float64() throws(Failure) -> Double {
            Double(bitPattern: try integer())
        }

        /// A `String`; bytes that are no UTF-8 come as U+FFFD.
        package mutating func string() throws(Failure) -> String {
            let range = try take(try length())
            return String(decoding: answer[range], as: UTF8.self)
        }

        /// A `String` as its bytes.
        package mutating func bytes() throws(Failure) -> [UInt8] { try fixed(try length()) }

        /// A `FixedString` of so many bytes.
        package mutating func fixed(_ count: Int) throws(Failure) -> [UInt8] {
            Array(answer[try take(count)])
        }

        /// An `Array`. Each element has to take a byte at least, as all types have that there are.
        package mutating func array<T>(
            _ element: (inout Reader) throws(Failure) -> T
        ) throws(Failure) -> [T] {
            let count = try length()
            guard count <= remaining else {
                throw .cut(offset: answer.count, missing: count - remaining)
            }
            var elements: [T] = []
            elements.reserveCapacity(min(count, 1 << 16))
            for _ in 0..<count { elements.append(try element(&self)) }
            return elements
        }

        /// The length of a text or an array: at most 2^62 − 1.
        package mutating func length() throws(Failure) -> Int {
            let start = offset
            var value = 0
            var shift = 0
            while true {
                let byte: UInt8 = try integer()
                guard shift < 62 && (shift < 56 || byte & 0x7f < 0x40) else {
                    throw .length(offset: start)
                }
                value |= Int(byte & 0x7f) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
        }

        @inline(__always)
        private mutating func integer<T: FixedWidthInteger>() throws(Failure) -> T {
            let range = try take(MemoryLayout<T>.size)
            return answer.withUnsafeBytes {
                T(littleEndian: $0.loadUnaligned(fromByteOffset: range.lowerBound, as: T.self))
            }
        }

        @inline(__always)
        private mutating func take(_ count: Int) throws(Failure) -> Range<Int> {
            guard count >= 0, count <= answer.count - offset else {
                throw .cut(offset: answer.count, missing: count - (answer.count - offset))
            }
            let start = offset
            offset += count
            return start..<offset
        }
    }
}
