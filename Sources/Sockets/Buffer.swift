/// Bytes in memory of their own, which costs nothing while it is empty. What it gives back is
/// overwritten: a body may be in plain text.
struct Buffer: ~Copyable {
    private(set) var base: UnsafeMutablePointer<UInt8>?
    private(set) var count = 0
    private(set) var capacity = 0

    init() {}

    deinit { Self.free(base, count) }

    private static func free(_ base: UnsafeMutablePointer<UInt8>?, _ count: Int) {
        guard let base else { return }
        SystemCalls.overwrite(base, count)
        base.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// The capacity after `additional` bytes more: doubled, but not beyond `expected` if that is
    /// known and suffices. It grows with what has arrived, whatever the client declared.
    func capacity(adding additional: Int, expected: Int) -> Int {
        let needed = count + additional
        if needed <= capacity { return capacity }
        var doubled = max(needed, capacity * 2, 512)
        // Empty room alone must not make a request count as large.
        if needed <= ComingRequests.largeBytes { doubled = min(doubled, ComingRequests.largeBytes) }
        return expected >= needed ? min(doubled, expected) : doubled
    }

    mutating func reserve(_ newCapacity: Int) {
        guard newCapacity > capacity else { return }
        let new = UnsafeMutablePointer<UInt8>.allocate(capacity: newCapacity)
        if let base {
            new.update(from: base, count: count)
            Self.free(base, count)
        }
        base = new
        capacity = newCapacity
    }

    /// Appends bytes; room for them must have been reserved.
    mutating func append(_ bytes: UnsafePointer<UInt8>, _ additional: Int) {
        guard additional > 0, let base else { return }
        precondition(count + additional <= capacity)
        (base + count).update(from: bytes, count: additional)
        count += additional
    }

    /// Keeps only `range`, moved to the front; gives the memory back if that is nothing.
    mutating func keep(_ range: Range<Int>) {
        guard let base else { return }
        if range.isEmpty {
            Self.free(base, count)
            self.base = nil
            capacity = 0
        } else {
            if range.lowerBound > 0 {
                base.update(from: base + range.lowerBound, count: range.count)
            }
            SystemCalls.overwrite(base + range.count, count - range.count)
        }
        count = range.count
    }
}
