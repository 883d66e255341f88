extension RowBinary {
    /// Writes values, one after another.
    package struct Writer: Sendable {
        /// What was written.
        package private(set) var bytes: [UInt8] = []

        /// Nothing yet.
        package init() {}

        /// How many bytes were written.
        package var count: Int { bytes.count }

        /// Begins again, and keeps the memory.
        package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

        /// `UInt8`.
        @inline(__always)
        package mutating func uint8(_ value: UInt8) { bytes.append(value) }

        /// `UInt16`.
        @inline(__always)
        package mutating func uint16(_ value: UInt16) { integer(value) }

        /// `UInt32`.
        @inline(__always)
        package mutating func uint32(_ value: UInt32) { integer(value) }

        /// `UInt64`.
        @inline(__always)
        package mutating func uint64(_ value: UInt64) { integer(value) }

        /// `Int64`.
        @inline(__always)
        package mutating func int64(_ value: Int64) { integer(value) }

        /// `Float64`, to the bit.
        @inline(__always)
        package mutating func float64(_ value: Double) { integer(value.bitPattern) }

        /// A `String`.
        package mutating func string(_ text: String) {
            length(text.utf8.count)
            bytes += text.utf8
        }

        /// A `String` of these bytes.
        @inline(__always)
        package mutating func string(_ text: [UInt8]) {
            length(text.count)
            bytes += text
        }

        /// A `String` of these bytes.
        @inline(__always)
        package mutating func string(_ text: Span<UInt8>) {
            length(text.count)
            text.withUnsafeBufferPointer { bytes += $0 }
        }

        /// Bytes as they are: a `FixedString`, or what another writer wrote.
        @inline(__always)
        package mutating func raw(_ other: [UInt8]) { bytes += other }

        /// The same.
        @inline(__always)
        package mutating func raw(_ other: Span<UInt8>) {
            other.withUnsafeBufferPointer { bytes += $0 }
        }

        /// An `Array` of so many elements, of which the bytes are given: a column of a `Nested`.
        mutating func array(of count: Int, _ elements: borrowing ByteColumn) {
            length(count)
            elements.withBytes { bytes += $0 }
        }

        /// An `Array`.
        package mutating func array<T>(_ values: [T], _ write: (inout Writer, T) -> Void) {
            length(values.count)
            for value in values { write(&self, value) }
        }

        /// The length of a text or an array: seven bits a byte, the lowest first (LEB128).
        @inline(__always)
        package mutating func length(_ value: Int) {
            var rest = UInt64(max(0, value))
            while rest > 0x7f {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
        }

        @inline(__always)
        private mutating func integer<T: FixedWidthInteger>(_ value: T) {
            withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
        }
    }
}
