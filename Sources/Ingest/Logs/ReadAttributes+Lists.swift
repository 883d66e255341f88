import Events
import JSON

/// Lists as JSON (RFC 8785): appended to `made` as they are read. What nobody will see of them is not made.
extension ReadAttributes {
    /// Of a value that is made no more is ever seen: it is cut to `BatchLimit.attributeText`, and a scalar may lie
    /// across that.
    static let visibleText = BatchLimit.attributeText + 8

    /// Begins a value that is made.
    /// - Returns: where it begins
    mutating func beginValue() -> Int {
        limit = made.count + Self.visibleText
        return made.count
    }

    /// The value that began there.
    mutating func endValue(_ start: Int) -> TextSlot {
        limit = .max
        return TextSlot(start: start, end: made.count, isMade: true)
    }

    /// Bytes that the value which is being made may still have; 0: what is read only has to be well-formed.
    private var room: Int { max(0, limit - made.count) }

    private mutating func dropBeyondLimit() {
        if made.count > limit { made.removeLast(made.count - limit) }
    }

    mutating func append(_ byte: UInt8) {
        if made.count < limit { made.append(byte) }
    }

    /// Appends text that is JSON already.
    mutating func append(_ text: [UInt8]) {
        made += text
        dropBeyondLimit()
    }

    private mutating func append(plain text: StaticString) {
        guard room > 0 else { return }
        made += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        dropBeyondLimit()
    }

    /// Appends a string. Where it is not UTF-8, or has U+0000, neither is what is appended, so that this is found
    /// where the value is taken.
    mutating func appendString(_ text: Span<UInt8>) {
        guard room > 0 else { return }
        let kept = text.extracting(0..<min(text.count, room))
        var end = 0
        while end < kept.count, kept[end] != 0 { end += 1 }
        Writer.append(kept.extracting(0..<end), to: &made)
        if end < kept.count {
            // JSON has an escape for it; what follows is of no matter.
            made[made.count - 1] = 0
            made.append(UInt8(ascii: "\""))
        }
        dropBeyondLimit()
    }

    /// Appends the key of a kvlist's member, and the colon after it.
    mutating func appendKey(_ key: TextSlot, _ bytes: Span<UInt8>) {
        if key.isMade {
            let keys = listKeys
            appendString(keys.span.extracting(key.start..<key.end))
        } else {
            appendString(bytes.extracting(key.start..<key.end))
        }
        append(UInt8(ascii: ":"))
    }

    mutating func appendInteger(_ value: Int64) {
        guard room > 0 else { return }
        Writer.append(value, to: &made)
        dropBeyondLimit()
    }

    /// Appends an integer of whatever size, as its text says it.
    mutating func appendDigits(_ text: Span<UInt8>) {
        guard room > 0 else { return }
        let start = made.count
        NumberText(text)?.appendInteger(text, to: &made, room: room)
        addedDigits += max(0, made.count - start - text.count)
    }

    mutating func appendBool(_ value: Bool) { append(plain: value ? "true" : "false") }

    mutating func appendNull() { append(plain: "null") }

    mutating func appendDouble(_ value: Double) {
        guard room > 0 else { return }
        if value.isFinite {
            DecimalForm.append(value, to: &made)
        } else {
            Writer.append(StorableText.name(of: value), to: &made)
        }
        dropBeyondLimit()
    }

    /// Appends bytes as base64.
    mutating func appendBase64(_ bytes: Span<UInt8>) {
        // Three bytes make four digits.
        let kept = bytes.extracting(0..<min(bytes.count, (room + 3) / 4 * 3))
        StorableText.appendBase64(kept, to: &made)
        dropBeyondLimit()
    }

    /// Appends bytes as a string of base64.
    mutating func appendBytes(_ bytes: Span<UInt8>) {
        append(UInt8(ascii: "\""))
        appendBase64(bytes)
        append(UInt8(ascii: "\""))
    }

    /// A member of a kvlist that stands in `made` as JSON.
    struct Pair {
        /// As much of its key as can be seen, in `listKeys` if it is made.
        fileprivate let key: TextSlot
        /// Where key and value stand in `made`.
        fileprivate var start: Int
        fileprivate var end: Int

        fileprivate var count: Int { end - start }
    }

    /// A kvlist that is being read. The texts of its members stand in `made` from `start` on, among those of others that
    /// were let go.
    struct PairList {
        fileprivate let start: Int
        /// `limit` outside of it.
        fileprivate let outerLimit: Int
        /// Bytes of it that can be seen.
        fileprivate let room: Int
        /// In the order of their keys, each key once: the last counts.
        fileprivate var pairs: [Pair] = []
        /// Bytes of their texts.
        fileprivate var size = 0

        /// So many stay: `"":0` is the shortest, so that what comes after them cannot be seen.
        fileprivate var maxCount: Int { room / 4 + 1 }
    }

    /// A kvlist begins.
    func beginList() -> PairList {
        PairList(start: made.count, outerLimit: limit, room: room)
    }

    /// A member of it begins: its text is appended next.
    /// - Returns: where it begins
    mutating func beginPair(of list: PairList) -> Int {
        limit = made.count + list.room
        return made.count
    }

    /// The member that began there has been appended.
    mutating func endPair(
        _ key: TextSlot, _ start: Int, of list: inout PairList, _ bytes: Span<UInt8>
    ) {
        guard list.room > 0 else { return }
        // Where keys are equal so far nothing is seen of what follows them.
        let visible = TextSlot(
            start: key.start, end: min(key.end, key.start + Self.visibleText), isMade: key.isMade)
        let pair = Pair(key: visible, start: start, end: made.count)
        let (index, isKnown) = place(of: visible, in: list.pairs, bytes)
        if isKnown {
            list.size += pair.count - list.pairs[index].count
            list.pairs[index] = pair
        } else if index < list.maxCount {
            list.size += pair.count
            list.pairs.insert(pair, at: index)
            if list.pairs.count > list.maxCount { list.size -= list.pairs.removeLast().count }
        }
        if made.count - list.start > 2 * (list.size + Self.visibleText) { compact(&list) }
    }

    /// The index of a key, or the one at which it would stand, and whether it is there.
    private func place(
        of key: TextSlot, in pairs: [Pair], _ bytes: Span<UInt8>
    ) -> (index: Int, isKnown: Bool) {
        let keys = listKeys
        var (low, high) = (0, pairs.count)
        // Most lists come in order.
        if let last = pairs.last, Self.compare(last.key, key, bytes, keys.span) < 0 { low = high }
        while low < high {
            let middle = (low + high) / 2
            let way = Self.compare(pairs[middle].key, key, bytes, keys.span)
            if way == 0 { return (middle, true) }
            if way < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// Lets go of texts that are no member's any more.
    private mutating func compact(_ list: inout PairList) {
        var text: [UInt8] = []
        text.reserveCapacity(list.size)
        for index in list.pairs.indices {
            let start = list.start + text.count
            text += made[list.pairs[index].start..<list.pairs[index].end]
            list.pairs[index].start = start
            list.pairs[index].end = list.start + text.count
        }
        made.removeSubrange(list.start...)
        made += text
    }

    /// All members have been read: what is appended of them is in the order of their keys' UTF-16 (RFC 8785 §3.2.3).
    mutating func endList(_ list: PairList) {
        limit = list.outerLimit
        guard list.room > 0 else { return }
        var text: [UInt8] = []
        text.reserveCapacity(min(list.size + list.pairs.count, 2 * Self.visibleText) + 1)
        for pair in list.pairs {
            if text.count > list.room { break }
            text.append(UInt8(ascii: text.isEmpty ? "{" : ","))
            text += made[pair.start..<pair.end]
        }
        made.removeSubrange(list.start...)
        if text.isEmpty { made.append(UInt8(ascii: "{")) }
        made += text
        made.append(UInt8(ascii: "}"))
        dropBeyondLimit()
    }

    /// By their UTF-16 units: below 0 where the left one is first, 0 where they are equal.
    private static func compare(
        _ left: TextSlot, _ right: TextSlot, _ bytes: Span<UInt8>, _ keys: Span<UInt8>
    ) -> Int {
        let index = left.commonCount(with: right, bytes, keys)
        guard index < min(left.count, right.count) else { return left.count - right.count }
        let ours = left.byte(index, bytes, keys)
        let theirs = right.byte(index, bytes, keys)
        // Of UTF-8 the bytes are in order too, but for scalars beyond the first plane (from 0xf0):
        // their surrogates come before U+E000 (0xee).
        let isSwapped =
            min(ours, theirs) >= 0xee && max(ours, theirs) >= 0xf0 && min(ours, theirs) < 0xf0
        return (ours < theirs) != isSwapped ? -1 : 1
    }
}
