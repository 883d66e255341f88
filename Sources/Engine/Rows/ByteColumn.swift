/// Bytes of one column of a batch's events: filled once a batch and used again for the next, so that nothing has
/// to be asked or allocated for a value.
struct ByteColumn: ~Copyable {
    private(set) var count = 0
    private var base: UnsafeMutableRawPointer
    private var capacity: Int

    /// Bytes that a length may take (LEB128).
    static let longestLength = 10

    init(capacity: Int = 4096) {
        self.capacity = capacity
        base = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { base.deallocate() }

    /// Begins again, and keeps the memory.
    mutating func removeAll() { count = 0 }

    /// A number of fixed width.
    @inline(__always)
    mutating func integer<T: FixedWidthInteger>(_ value: T) {
        reserve(MemoryLayout<T>.size)
        base.storeBytes(of: value.littleEndian, toByteOffset: count, as: T.self)
        count &+= MemoryLayout<T>.size
    }

    /// A `String` of these bytes.
    @inline(__always)
    mutating func string(_ text: Span<UInt8>) {
        reserve(Self.longestLength &+ text.count)
        putLength(text.count)
        put(text)
    }

    /// A `String` of a byte and these bytes.
    @inline(__always)
    mutating func string(_ first: UInt8, _ text: Span<UInt8>) {
        reserve(Self.longestLength &+ 1 &+ text.count)
        putLength(text.count &+ 1)
        base.storeBytes(of: first, toByteOffset: count, as: UInt8.self)
        count &+= 1
        put(text)
    }

    /// Puts the length of an array before what was written from `start` on, where one byte was left for it.
    @inline(__always)
    mutating func setLength(_ length: Int, at start: Int) {
        precondition(start >= 0 && start < count && length >= 0)
        if length < 0x80 {
            base.storeBytes(of: UInt8(length), toByteOffset: start, as: UInt8.self)
        } else {
            setLongLength(length, at: start)
        }
    }

    @inline(never)
    private mutating func setLongLength(_ length: Int, at start: Int) {
        var own = ByteColumn(capacity: Self.longestLength)
        own.putLength(length)
        let more = own.count - 1
        reserve(more)
        let place = base + start
        (place + own.count).copyMemory(from: place + 1, byteCount: count - start - 1)
        place.copyMemory(from: own.base, byteCount: own.count)
        count += more
    }

    /// What was written.
    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        body(UnsafeRawBufferPointer(start: base, count: count))
    }

    // There is room.

    @inline(__always)
    private mutating func putLength(_ value: Int) {
        var rest = UInt64(value.magnitude)
        while rest > 0x7f {
            base.storeBytes(
                of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
            count &+= 1
            rest >>= 7
        }
        base.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    @inline(__always)
    private mutating func put(_ bytes: Span<UInt8>) {
        let to = base + count
        bytes.withUnsafeBytes { from in
            if let start = from.baseAddress { to.copyMemory(from: start, byteCount: from.count) }
        }
        count &+= bytes.count
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if capacity &- count < more { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        var wanted = capacity
        while wanted - count < more { wanted *= 2 }
        let other = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 8)
        other.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = other
        capacity = wanted
    }
}
