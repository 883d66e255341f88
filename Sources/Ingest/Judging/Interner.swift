import JSON

/// The distinct texts of one batch and a number for each, in order of appearance. Some are fixed:
/// they have the first numbers in every batch. Finding one costs the same however many there are,
/// also where an attacker chose them, because `TextHash` is secret.
///
/// A text that something accepted uses also gets a `storedIndex`, which is what is stored; these are
/// given in order of use and can be taken back.
struct Interner: ~Copyable {
    private static let minCapacity = 64
    /// Slots that are kept for the next batch.
    private static let kept = 1 << 12

    private struct Entry {
        var hash: UInt64
        var start: UInt32
        var count: UInt32
        /// -1: not used by anything accepted.
        var storedIndex: Int32
        /// What its owner remembers of it.
        var mark: UInt8
    }

    private var arena = ByteArena()
    /// By pointer: an array would check its bounds and its owners at every text.
    private var entries: UnsafeMutablePointer<Entry>
    private var count = 0
    private var capacity = 64
    /// Number of an entry + 1; 0 is free. The first `mask + 1` count.
    private var slots: UnsafeMutablePointer<UInt32>
    private var slotCapacity = Interner.minCapacity
    private var mask = Interner.minCapacity - 1
    private var used: [UInt32] = []
    private let fixed: Int
    private let fixedBytes: Int

    /// `fixed`: distinct texts, which get the numbers from 0.
    init(hash: TextHash, fixed: [String] = []) {
        entries = .allocate(capacity: capacity)
        slots = .allocate(capacity: slotCapacity)
        slots.update(repeating: 0, count: slotCapacity)
        self.fixed = fixed.count
        fixedBytes = fixed.reduce(0) { $0 + $1.utf8.count }
        for text in fixed {
            let utf8 = Array(text.utf8)
            _ = intern(utf8.span, 0, utf8.count, hash: hash.hash(utf8.span, 0, utf8.count))
        }
    }

    deinit {
        entries.deallocate()
        slots.deallocate()
    }

    /// How many have a stored index.
    var storedCount: Int { used.count }

    /// Forgets all but the fixed ones, and gives back what an unusual batch made it take.
    mutating func reset() {
        for number in used { entries[Int(number)].storedIndex = -1 }
        used.removeAll(keepingCapacity: true)
        guard count > fixed else { return }
        count = fixed
        arena.truncate(to: fixedBytes)
        arena.shrink()
        if slotCapacity > Interner.kept {
            resize(slots: Interner.minCapacity)
            resize(entries: max(Interner.minCapacity, fixed))
            used = []
        } else {
            slots.update(repeating: 0, count: mask + 1)
            mask = Interner.minCapacity - 1
        }
        for number in 0..<fixed { enter(number) }
    }

    /// The number of the text from `start` up to `end`; -1 if it is not here.
    @inline(__always)
    func find(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, hash: UInt64) -> Int {
        var slot = Int(truncatingIfNeeded: hash) & mask
        while true {
            let number = Int(truncatingIfNeeded: slots[slot]) &- 1
            if number < 0 { return -1 }
            if entries[number].hash == hash, Int(entries[number].count) == end &- start,
                arena.matches(Int(entries[number].start), bytes, start, end)
            {
                return number
            }
            slot = (slot &+ 1) & mask
        }
    }

    /// The number of the text, which is a new one if it was not here.
    @inline(__always)
    mutating func intern(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, hash: UInt64) -> Int {
        let found = find(bytes, start, end, hash: hash)
        return found >= 0 ? found : add(bytes, start, end, hash: hash)
    }

    @inline(never)
    private mutating func add(
        _ bytes: Span<UInt8>, _ start: Int, _ end: Int, hash: UInt64
    ) -> Int {
        let number = count
        if count == capacity { resize(entries: 2 * capacity) }
        entries[number] = Entry(
            hash: hash, start: UInt32(truncatingIfNeeded: arena.count),
            count: UInt32(truncatingIfNeeded: end - start), storedIndex: -1, mark: 0)
        count += 1
        arena.append(bytes, start, end)
        if 2 * count > mask {
            growSlots()
        } else {
            enter(number)
        }
        return number
    }

    private mutating func enter(_ number: Int) {
        var slot = Int(truncatingIfNeeded: entries[number].hash) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = UInt32(truncatingIfNeeded: number + 1)
    }

    private mutating func growSlots() {
        let size = 4 * (mask + 1)
        if size > slotCapacity {
            resize(slots: size)
        } else {
            slots.update(repeating: 0, count: size)
            mask = size - 1
        }
        for number in 0..<count { enter(number) }
    }

    /// Other slots, all free.
    private mutating func resize(slots size: Int) {
        slots.deallocate()
        slots = .allocate(capacity: size)
        slots.update(repeating: 0, count: size)
        slotCapacity = size
        mask = size - 1
    }

    /// Other room for entries, with the same entries in it.
    private mutating func resize(entries size: Int) {
        let other = UnsafeMutablePointer<Entry>.allocate(capacity: size)
        other.update(from: entries, count: count)
        entries.deallocate()
        entries = other
        capacity = size
    }

    /// What its owner remembers of it; 0 at first, kept for fixed ones.
    subscript(mark number: Int) -> UInt8 {
        get {
            precondition(number >= 0 && number < count)
            return entries[number].mark
        }
        set {
            precondition(number >= 0 && number < count)
            entries[number].mark = newValue
        }
    }

    /// The text's index among those that are used, which it gets now if it has none.
    @inline(__always)
    mutating func storedIndex(_ number: Int) -> Int32 {
        precondition(number >= 0 && number < count)
        let index = entries[number].storedIndex
        if index >= 0 { return index }
        let fresh = Int32(truncatingIfNeeded: used.count)
        entries[number].storedIndex = fresh
        used.append(UInt32(truncatingIfNeeded: number))
        return fresh
    }

    /// Takes back all stored indexes from that one on.
    mutating func removeStored(from index: Int) {
        while used.count > index {
            entries[Int(used.removeLast())].storedIndex = -1
        }
    }

    /// Hands the text of that number to `body`.
    func read<Result>(_ number: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        precondition(number >= 0 && number < count)
        let start = Int(entries[number].start)
        return arena.read(start..<start + Int(entries[number].count), body)
    }

    /// The texts that have a stored index, in its order.
    func storedTexts() -> [String] {
        var texts: [String] = []
        texts.reserveCapacity(used.count)
        for number in used {
            texts.append(
                read(Int(number)) { text in
                    text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
                })
        }
        return texts
    }

    /// The texts that have a stored index, in its order, as a JSON array; nil if there are none.
    func storedJSON() -> [UInt8]? {
        guard !used.isEmpty else { return nil }
        var json: [UInt8] = []
        json.reserveCapacity(32 * used.count + 2)
        json.append(UInt8(ascii: "["))
        for number in used {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            read(Int(number)) { Writer.append($0, to: &json) }
        }
        json.append(UInt8(ascii: "]"))
        return json
    }
}

extension Interner {
    /// The number of a member's name; -1 if it is not here.
    /// - Parameter longest: no name that is here is longer, in bytes; an escape makes six of one
    @inline(__always)
    func index(
        of name: Name, _ bytes: Span<UInt8>, longest: Int, _ scratch: inout [UInt8]
    ) -> Int {
        if name.text.hasEscapes {
            guard name.text.count <= longest * 6 else { return -1 }
            let count = name.text.unescape(bytes, into: &scratch)
            return find(scratch.span, 0, count, hash: name.hash)
        }
        return find(bytes, name.text.start, name.text.end, hash: name.hash)
    }
}
