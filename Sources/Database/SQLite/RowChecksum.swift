import CSQLite

/// The SQL function `row_checksum(table, value, …)`: XXH64 over the table's name and the values, each
/// with its type, so that a null, a zero and an empty text differ.
enum RowChecksum {
    package static let name = "row_checksum"

    /// Makes the function known to a connection.
    package static func register(on handle: OpaquePointer) -> Int32 {
        sqlite3_create_function_v2(
            handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
            { context, count, values in
                var stream = ChecksumStream()
                for index in 0..<Int(count) { RowChecksum.add(values?[index], to: &stream) }
                sqlite3_result_int64(context, Int64(bitPattern: stream.value))
            }, nil, nil, nil)
    }

    private static func add(_ value: OpaquePointer?, to stream: inout ChecksumStream) {
        let type = sqlite3_value_type(value)
        let tag = UInt64(type)
        switch type {
        case SQLITE_INTEGER:
            stream.add(tag, UInt64(bitPattern: sqlite3_value_int64(value)), 0, 0)
        case SQLITE_FLOAT:
            stream.add(tag, sqlite3_value_double(value).bitPattern, 0, 0)
        case SQLITE_NULL:
            stream.add(tag, 0, 0, 0)
        default:
            // The blob of a text is its bytes.
            let start = sqlite3_value_blob(value)
            let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
            stream.add(tag, UInt64(count), 0, 0)
            stream.add(UnsafeRawBufferPointer(start: start, count: count))
        }
    }
}

/// XXH64 with seed 0 (xxHash specification 0.1.1, "XXH64") over whole stripes of 32 bytes: fast, no
/// protection against an attacker, and the same on every machine and in every version. Input
/// shorter than a stripe is padded with zeros, so no byte is ever carried over; the caller adds a
/// text's length too.
package struct ChecksumStream {
    private static let primes: (UInt64, UInt64, UInt64, UInt64) = (
        0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63
    )

    private var first = primes.0 &+ primes.1
    private var second = primes.1
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0 &- primes.0
    private var stripes: UInt64 = 0

    /// Nothing is added yet.
    package init() {}

    /// One stripe of four little-endian words.
    @inline(__always)
    package mutating func add(_ one: UInt64, _ two: UInt64, _ three: UInt64, _ four: UInt64) {
        first = Self.round(first, one)
        second = Self.round(second, two)
        third = Self.round(third, three)
        fourth = Self.round(fourth, four)
        stripes &+= 1
    }

    /// Bytes, padded with zeros to the next stripe. No bytes add nothing.
    @inline(__always)
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while bytes.count &- offset >= 32 {
            add(
                Self.word(bytes, offset), Self.word(bytes, offset &+ 8),
                Self.word(bytes, offset &+ 16),
                Self.word(bytes, offset &+ 24))
            offset &+= 32
        }
        if offset == bytes.count { return }
        var last: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &last) {
            $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        }
        add(
            UInt64(littleEndian: last.0), UInt64(littleEndian: last.1),
            UInt64(littleEndian: last.2), UInt64(littleEndian: last.3))
    }

    /// The hash of all that was added.
    package var value: UInt64 {
        var hash =
            Self.rotated(first, 1) &+ Self.rotated(second, 7) &+ Self.rotated(third, 12)
            &+ Self.rotated(fourth, 18)
        for lane in [first, second, third, fourth] {
            hash = (hash ^ Self.round(0, lane)) &* Self.primes.0 &+ Self.primes.3
        }
        hash &+= stripes &* 32
        hash = (hash ^ hash &>> 33) &* Self.primes.1
        hash = (hash ^ hash &>> 29) &* Self.primes.2
        return hash ^ hash &>> 32
    }

    /// The hash of one text: its length in a stripe of its own, then its bytes.
    package static func hash(_ bytes: Span<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            var stream = ChecksumStream()
            stream.add(UInt64(bytes.count), 0, 0, 0)
            stream.add(bytes)
            return stream.value
        }
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* primes.1, 31) &* primes.0
    }

    @inline(__always)
    private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 {
        word &<< bits | word &>> (64 &- bits)
    }
}
