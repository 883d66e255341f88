/// A buffer of bytes that is filled once a batch and reused for the next: an array that need not ask
/// at every byte whether somebody else holds it.
struct ByteArena: ~Copyable {
    /// Room that is kept for the next batch.
    private static let kept = 1 << 18

    private(set) var count = 0
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int

    init(capacity: Int = 4096) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    /// Forgets everything, and gives back what an unusual batch made it take.
    mutating func reset() {
        count = 0
        shrink()
    }

    /// Gives back room that is more than usual, if what is in it is not.
    mutating func shrink() {
        guard capacity > ByteArena.kept, count <= ByteArena.kept else { return }
        resize(ByteArena.kept)
    }

    /// Forgets what was appended since `count` was that.
    mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= self.count)
        self.count = count
    }

    /// Makes room for so many more.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if capacity &- count < more { grow(more) }
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count &+= 1
    }

    /// Appends the bytes of `bytes` from `start` up to `end`.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        precondition(start >= 0 && start <= end && end <= bytes.count)
        let more = end &- start
        reserve(more)
        let to = base + count
        bytes.withUnsafeBufferPointer { source in
            guard let from = source.baseAddress else { return }
            (to).update(from: from + start, count: more)
        }
        count &+= more
    }

    /// Appends a number's decimal digits.
    @inline(__always)
    mutating func append(decimal value: UInt32) {
        if value < 10 {
            append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value))
        } else {
            appendLong(value)
        }
    }

    private mutating func appendLong(_ value: UInt32) {
        if value >= 10 { appendLong(value / 10) }
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }

    /// Whether the bytes from `index` on are those of `bytes` from `start` up to `end`.
    @inline(__always)
    func matches(_ index: Int, _ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        let length = end &- start
        precondition(
            start >= 0 && length >= 0 && end <= bytes.count && index >= 0
                && index &+ length <= count)
        let ours = UnsafeRawPointer(base + index)
        return bytes.withUnsafeBytes { source in
            guard let from = source.baseAddress else { return length == 0 }
            let theirs = UnsafeRawPointer(from + start)
            if length < 8 { return ByteArena.matchFew(ours, theirs, length) }
            var at = 0
            // The last step overlaps the one before.
            while at < length {
                let step = min(at, length &- 8)
                if ours.loadUnaligned(fromByteOffset: step, as: UInt64.self)
                    != theirs.loadUnaligned(fromByteOffset: step, as: UInt64.self)
                {
                    return false
                }
                at &+= 8
            }
            return true
        }
    }

    @inline(__always)
    private static func matchFew(
        _ ours: UnsafeRawPointer, _ theirs: UnsafeRawPointer, _ length: Int
    ) -> Bool {
        if length >= 4 {
            return ours.loadUnaligned(as: UInt32.self) == theirs.loadUnaligned(as: UInt32.self)
                && ours.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
                    == theirs.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
        }
        for at in 0..<length
        where ours.load(fromByteOffset: at, as: UInt8.self)
            != theirs.load(fromByteOffset: at, as: UInt8.self)
        {
            return false
        }
        return true
    }

    /// Hands part of it to `body`.
    func read<Result>(_ range: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return body(UnsafeBufferPointer(start: base + range.lowerBound, count: range.count).span)
    }

    /// A copy of part of it.
    func copy(_ range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return [UInt8](UnsafeBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        var wanted = capacity
        while wanted - count < more { wanted *= 2 }
        resize(wanted)
    }

    private mutating func resize(_ size: Int) {
        let other = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
        other.update(from: base, count: count)
        base.deallocate()
        base = other
        capacity = size
    }
}
