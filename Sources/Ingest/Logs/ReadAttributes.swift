import Events

/// The attributes of one resource or record as they were read, in whatever encoding. Used again for the next.
struct ReadAttributes: ~Copyable {
    /// Room that is kept for the next.
    private static let kept = 1 << 14
    /// So few are put in order one by one.
    private static let threshold = 24
    /// When there are so many, those that others of their key have replaced are let go.
    private static let crowd = 256
    /// Of more keys than that only those that the mapping names are kept: the record is rejected.
    private static let maxKeys = 1024

    private var read: [ReadAttribute] = []
    /// Texts that had to be made: strings without escapes, base64, lists as JSON.
    var made: [UInt8] = []
    /// Keys of lists that had to be made, of lists that are still read.
    var listKeys: [UInt8] = []
    /// Indexes in `read`, in the order of the keys' bytes, each key once: the last that was sent counts.
    private(set) var order: [Int32] = []
    /// There were more keys than any record may have.
    private(set) var isOverfull = false
    /// Until there are so many nothing is let go.
    private var nextSweep = crowd
    /// Bytes of integers beyond what stands in the request, since it began: an exponent is written out.
    var addedDigits = 0

    init() { makeRoom() }

    /// So much that a device's id is not left in room that was given back when it grew.
    private mutating func makeRoom() {
        made = []
        made.reserveCapacity(ReadAttributes.kept)
    }

    subscript(index: Int32) -> ReadAttribute { read[Int(index)] }

    mutating func reset() {
        // A device's id may be among them.
        made.overwrite()
        if made.capacity > 2 * ReadAttributes.kept { makeRoom() }
        if listKeys.capacity > ReadAttributes.kept { listKeys = [] }
        if read.count > ReadAttributes.kept { (read, order) = ([], []) }
        read.removeAll(keepingCapacity: true)
        made.removeAll(keepingCapacity: true)
        listKeys.removeAll(keepingCapacity: true)
        order.removeAll(keepingCapacity: true)
        isOverfull = false
        nextSweep = ReadAttributes.crowd
    }

    /// Takes one, whose key stands in `bytes` or `made`.
    @inline(__always)
    mutating func append(_ key: TextSlot, _ value: ReadValue, _ bytes: Span<UInt8>) {
        read.append(
            ReadAttribute(
                key: key, prefix: key.isMade ? prefixOfMade(key) : Self.prefix(bytes, key),
                value: value))
        if read.count >= nextSweep { sweep(bytes) }
    }

    /// Lets go of all that another of the same key has replaced, so that memory does not follow how often keys are
    /// repeated; and of all but the mapping's own where there are too many.
    @inline(never)
    private mutating func sweep(_ bytes: Span<UInt8>) {
        arrange(bytes)
        if order.count > ReadAttributes.maxKeys { isOverfull = true }
        var kept = order.sorted()
        if isOverfull {
            kept.removeAll { index in
                !LogMapping.keys.contains { matches(read[Int(index)].key, $0, bytes) }
            }
        }
        read = kept.map { read[Int($0)] }
        order.removeAll(keepingCapacity: true)
        nextSweep = max(ReadAttributes.crowd, 2 * read.count)
    }

    private func prefixOfMade(_ key: TextSlot) -> UInt64 { Self.prefix(made.span, key) }

    private static func prefix(_ bytes: Span<UInt8>, _ key: TextSlot) -> UInt64 {
        var prefix: UInt64 = 0
        let count = min(key.count, 8)
        for index in 0..<count {
            prefix = prefix << 8 | UInt64(bytes[key.start &+ index])
        }
        // A shorter key comes before those that go on; one with zeros at its end is told from it by length.
        return count == 0 ? 0 : prefix << UInt64(8 * (8 - count))
    }

    /// Puts them in order, once all are there.
    mutating func arrange(_ bytes: Span<UInt8>) {
        let made = made
        let all = read
        guard all.count > 1 else {
            if all.count == 1 { order.append(0) }
            return
        }
        if all.count > ReadAttributes.threshold {
            let sorted = MergeSort.lastOfEach(all.count) { left, right in
                Self.compare(all[left], all[right], bytes, made.span)
            }
            order += sorted.lazy.map { Int32($0) }
            return
        }
        order.append(0)
        for index in 1..<all.count {
            var at = order.count
            var isSame = false
            while at > 0 {
                let known = all[Int(order[at - 1])]
                let way = Self.compare(known, all[index], bytes, made.span)
                if way == 0 { isSame = true }
                if way <= 0 { break }
                at -= 1
            }
            if isSame {
                order[at - 1] = Int32(index)
            } else {
                order.insert(Int32(index), at: at)
            }
        }
    }

    /// By the bytes of their keys: below 0 where the left one is first, 0 where they are equal.
    private static func compare(
        _ left: ReadAttribute, _ right: ReadAttribute, _ bytes: Span<UInt8>, _ made: Span<UInt8>
    ) -> Int {
        if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
        let count = min(left.key.count, right.key.count)
        var index = min(8, count)
        while index < count {
            let ours = byte(left.key, index, bytes, made)
            let theirs = byte(right.key, index, bytes, made)
            if ours != theirs { return ours < theirs ? -1 : 1 }
            index += 1
        }
        return left.key.count - right.key.count
    }

    @inline(__always)
    private static func byte(
        _ text: TextSlot, _ index: Int, _ bytes: Span<UInt8>, _ made: Span<UInt8>
    ) -> UInt8 {
        text.isMade ? made[text.start &+ index] : bytes[text.start &+ index]
    }

    /// Whether a text is that one.
    func matches(_ text: TextSlot, _ other: String, _ bytes: Span<UInt8>) -> Bool {
        var index = 0
        guard text.count == other.utf8.count else { return false }
        for byte in other.utf8 {
            if Self.byte(text, index, bytes, made.span) != byte { return false }
            index += 1
        }
        return true
    }

    /// All digits of a value of kind `digits`, and its sign.
    mutating func digits(of value: ReadValue, _ bytes: Span<UInt8>) -> [UInt8] {
        let digits =
            value.text.isMade ? Self.digits(made.span, value.text) : Self.digits(bytes, value.text)
        addedDigits += max(0, digits.count - value.text.count)
        return digits
    }

    private static func digits(_ source: Span<UInt8>, _ slot: TextSlot) -> [UInt8] {
        let text = source.extracting(slot.start..<slot.end)
        var out: [UInt8] = []
        NumberText(text)?.appendInteger(text, to: &out)
        return out
    }

    /// Overwrites what was made of the last one, which may have been a device's id.
    mutating func forget() {
        listKeys.overwrite()
        reset()
    }
}
