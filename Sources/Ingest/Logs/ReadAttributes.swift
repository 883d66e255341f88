import Events
import JSON

/// The attributes of one resource or record as they were read, in whatever encoding. Used again for the next.
struct ReadAttributes: ~Copyable {
    /// Room that is kept for the next.
    private static let kept = 1 << 14
    /// So few are put in order one by one.
    private static let threshold = 24
    /// Of so many each key is kept once, so that memory and time do not follow how often keys are repeated.
    private static let crowd = 64
    /// Of more keys than that only those that the mapping names are kept: the record is rejected.
    private static let maxKeys = 1024

    private var read: [ReadAttribute] = []
    /// Texts that had to be made: strings without escapes, base64, lists as JSON.
    var made: [UInt8] = []
    /// Where `made` ends at most while a value is being made: what is appended beyond it is dropped.
    var limit = Int.max
    /// Keys of lists that had to be made, of lists that are still read.
    var listKeys: [UInt8] = []
    /// Indexes in `read`, in the order of the keys' bytes, each key once: the last that was sent counts.
    private(set) var order: [Int32] = []
    /// There were more keys than any record may have.
    private(set) var isOverfull = false
    /// How many are taken as they come.
    private var takenPlainly = crowd
    /// The keys of a crowd; the first are the mapping's own.
    private var keys: Interner
    /// By number in `keys`: the index in `read`; -1: there is none.
    private var places: [Int32] = []
    private let hash: TextHash
    /// Bytes of integers beyond what stands in the request, since it began: an exponent is written out.
    var addedDigits = 0

    init(hash: TextHash = .process) {
        self.hash = hash
        keys = Interner(hash: hash, fixed: LogMapping.keys)
        makeRoom()
    }

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
        read.removeAll(keepingCapacity: true)
        made.removeAll(keepingCapacity: true)
        listKeys.removeAll(keepingCapacity: true)
        order.removeAll(keepingCapacity: true)
        isOverfull = false
        limit = .max
        guard takenPlainly == 0 else { return }
        takenPlainly = ReadAttributes.crowd
        keys.reset()
    }

    /// Takes one, whose key stands in `bytes` or `made`.
    @inline(__always)
    mutating func append(_ key: TextSlot, _ value: ReadValue, _ bytes: Span<UInt8>) {
        let attribute = ReadAttribute(
            key: key, prefix: key.isMade ? prefixOfMade(key) : Self.prefix(bytes, key),
            value: value)
        guard read.count < takenPlainly else { return appendToCrowd(attribute, bytes) }
        read.append(attribute)
    }

    @inline(never)
    private mutating func appendToCrowd(_ attribute: ReadAttribute, _ bytes: Span<UInt8>) {
        if takenPlainly > 0 {
            takenPlainly = 0
            places.removeAll(keepingCapacity: true)
            let before = read
            read.removeAll(keepingCapacity: true)
            for attribute in before { put(attribute, bytes) }
        }
        put(attribute, bytes)
    }

    /// Takes one instead of the one of the same key.
    private mutating func put(_ attribute: ReadAttribute, _ bytes: Span<UInt8>) {
        let number: Int
        if attribute.key.isMade {
            let made = made
            number = self.number(of: attribute.key, in: made.span)
        } else {
            number = self.number(of: attribute.key, in: bytes)
        }
        guard number >= 0 else {
            isOverfull = true
            return
        }
        while places.count <= number { places.append(-1) }
        if places[number] >= 0 {
            read[Int(places[number])] = attribute
        } else {
            places[number] = Int32(truncatingIfNeeded: read.count)
            read.append(attribute)
        }
    }

    /// A key's number in `keys`; -1 where it is a new one of too many.
    private mutating func number(of key: TextSlot, in source: Span<UInt8>) -> Int {
        let hash = self.hash.hash(source, key.start, key.end)
        let known = keys.find(source, key.start, key.end, hash: hash)
        guard known < 0, read.count < ReadAttributes.maxKeys else { return known }
        return keys.intern(source, key.start, key.end, hash: hash)
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
        if left.key.count > 8, right.key.count > 8 {
            let index = left.key.commonCount(with: right.key, bytes, made)
            if index < min(left.key.count, right.key.count) {
                return left.key.byte(index, bytes, made) < right.key.byte(index, bytes, made)
                    ? -1 : 1
            }
        }
        return left.key.count - right.key.count
    }

    /// Whether a text is that one.
    func matches(_ text: TextSlot, _ other: String, _ bytes: Span<UInt8>) -> Bool {
        var index = 0
        guard text.count == other.utf8.count else { return false }
        for byte in other.utf8 {
            if text.byte(index, bytes, made.span) != byte { return false }
            index += 1
        }
        return true
    }

    /// The digits of a value of kind `digits`, as many as can be seen of them, and its sign.
    mutating func digits(of value: ReadValue, _ bytes: Span<UInt8>) -> [UInt8] {
        let digits =
            value.text.isMade ? Self.digits(made.span, value.text) : Self.digits(bytes, value.text)
        addedDigits += max(0, digits.count - value.text.count)
        return digits
    }

    private static func digits(_ source: Span<UInt8>, _ slot: TextSlot) -> [UInt8] {
        let text = source.extracting(slot.start..<slot.end)
        var out: [UInt8] = []
        NumberText(text)?.appendInteger(text, to: &out, room: visibleText)
        return out
    }

    /// Overwrites what was made of the last one, which may have been a device's id.
    mutating func forget() {
        listKeys.overwrite()
        reset()
    }
}
