import Events
import JSON

/// Lists as JSON (RFC 8785): appended to `made` as they are read, and put in order where they end.
extension ReadAttributes {
    /// A member of a kvlist that stands in `made` as JSON.
    struct Pair {
        /// Its key, in `listKeys` if it is made.
        var key: TextSlot
        /// Where key and value stand in `made`.
        private let first: UInt32
        private let last: UInt32

        init(key: TextSlot, start: Int, end: Int) {
            self.key = key
            first = UInt32(truncatingIfNeeded: start)
            last = UInt32(truncatingIfNeeded: end)
        }

        var start: Int { Int(first) }
        var end: Int { Int(last) }
    }

    /// Of the JSON of a value more is never kept: it is cut to `BatchLimit.attributeText`, and a scalar may lie across
    /// that.
    private static let keptText = BatchLimit.attributeText + 8

    /// Lets go of what a value has beyond that.
    mutating func shorten(from start: Int) {
        guard made.count - start > Self.keptText else { return }
        let count = made.withUnsafeBufferPointer {
            StorableText.cut($0.span.extracting(start..<$0.count), to: Self.keptText)
        }
        made.removeSubrange((start + count)...)
    }

    /// Appends a string. Where it is not UTF-8, or has U+0000, neither is what is appended, so that this is found
    /// where the value is taken.
    mutating func appendString(_ text: Span<UInt8>) {
        let kept = text.extracting(0..<StorableText.cut(text, to: Self.keptText))
        var end = 0
        while end < kept.count, kept[end] != 0 { end += 1 }
        Writer.append(kept.extracting(0..<end), to: &made)
        guard end < kept.count else { return }
        // JSON has an escape for it; what follows is of no matter.
        made[made.count - 1] = 0
        made.append(UInt8(ascii: "\""))
    }

    mutating func appendInteger(_ value: Int64) { Writer.append(value, to: &made) }

    /// Appends an integer of whatever size, as its text says it.
    mutating func appendDigits(_ text: Span<UInt8>) {
        let start = made.count
        NumberText(text)?.appendInteger(text, to: &made)
        addedDigits += max(0, made.count - start - text.count)
    }

    mutating func appendBool(_ value: Bool) { made += (value ? "true" : "false").utf8 }

    mutating func appendNull() { made += "null".utf8 }

    mutating func appendDouble(_ value: Double) {
        guard value.isFinite else { return Writer.append(StorableText.name(of: value), to: &made) }
        DecimalForm.append(value, to: &made)
    }

    /// Appends bytes as a string of base64.
    mutating func appendBytes(_ bytes: Span<UInt8>) {
        made.append(UInt8(ascii: "\""))
        StorableText.appendBase64(bytes, to: &made)
        made.append(UInt8(ascii: "\""))
    }

    mutating func append(_ byte: UInt8) { made.append(byte) }

    /// The members of a kvlist that is being read; they stand in `made` from `start` on, one after another.
    struct PairList {
        let start: Int
        fileprivate var pairs: [Pair] = []
        /// So many stay: `"":0` is the shortest, so that what comes after them lies beyond what is kept of the text.
        fileprivate static let kept = ReadAttributes.keptText / 4

        init(start: Int) { self.start = start }
    }

    /// Takes the next member.
    mutating func append(_ pair: Pair, to list: inout PairList, _ bytes: Span<UInt8>) {
        list.pairs.append(pair)
        guard list.pairs.count >= 2 * PairList.kept else { return }
        // Memory follows neither how often keys are repeated, nor how many there are.
        var text: [UInt8] = []
        list.pairs = arranged(list.pairs, bytes).prefix(PairList.kept).map { index in
            let pair = list.pairs[index]
            let start = list.start + text.count
            text += made[pair.start..<pair.end]
            return Pair(key: pair.key, start: start, end: list.start + text.count)
        }
        made.removeSubrange(list.start...)
        made += text
    }

    /// Puts the members of a kvlist in the order of their keys' UTF-16 (RFC 8785 §3.2.3), each key once: the last
    /// counts.
    mutating func end(_ list: PairList, _ bytes: Span<UInt8>) {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for index in arranged(list.pairs, bytes) {
            if text.count > Self.keptText { break }
            let pair = list.pairs[index]
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += made[pair.start..<pair.end]
        }
        text.append(UInt8(ascii: "}"))
        made.removeSubrange(list.start...)
        made += text
        shorten(from: list.start)
    }

    /// Indexes of pairs in order, each key once.
    private func arranged(_ pairs: [Pair], _ bytes: Span<UInt8>) -> [Int] {
        let keys = listKeys
        let isInOrder = pairs.indices.dropFirst().allSatisfy { index in
            Self.compare(pairs[index - 1].key, pairs[index].key, bytes, keys.span) < 0
        }
        if isInOrder { return Array(pairs.indices) }
        return MergeSort.lastOfEach(pairs.count) { left, right in
            Self.compare(pairs[left].key, pairs[right].key, bytes, keys.span)
        }
    }

    /// By their UTF-16 units: below 0 where the left one is first, 0 where they are equal.
    private static func compare(
        _ left: TextSlot, _ right: TextSlot, _ bytes: Span<UInt8>, _ keys: Span<UInt8>
    ) -> Int {
        for index in 0..<min(left.count, right.count) {
            let ours = left.isMade ? keys[left.start + index] : bytes[left.start + index]
            let theirs = right.isMade ? keys[right.start + index] : bytes[right.start + index]
            guard ours != theirs else { continue }
            // Of UTF-8 the bytes are in order too, but for scalars beyond the first plane (from 0xf0):
            // their surrogates come before U+E000 (0xee).
            let isSwapped =
                min(ours, theirs) >= 0xee && max(ours, theirs) >= 0xf0
                && min(ours, theirs) < 0xf0
            return (ours < theirs) != isSwapped ? -1 : 1
        }
        return left.count - right.count
    }
}
