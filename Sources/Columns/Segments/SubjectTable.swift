import Glibc

/// Texts, each once, numbered from 0 in order of appearance. Who chose them cannot make the search slow:
/// Swift's hash is keyed at random.
struct SubjectTable {
    private var bytes: [UInt8] = []
    /// Where each text ends in `bytes`; it begins where the one before ends.
    private var ends: [Int] = []
    private var hashes: [Int] = []
    /// Number + 1; 0 is free. A power of two, at least twice as many as texts.
    private var slots = [UInt32](repeating: 0, count: 256)

    /// How many bytes they have together.
    var size: Int { bytes.count }

    /// How many there are.
    var count: Int { ends.count }

    /// The text of a number.
    subscript(number: Int) -> ArraySlice<UInt8> { bytes[range(number)] }

    /// The number of a text, a new one if it was not here.
    mutating func number(of text: Span<UInt8>) -> Int32 {
        let hash = text.withUnsafeBytes { text in
            var hasher = Hasher()
            hasher.combine(bytes: text)
            return hasher.finalize()
        }
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if hashes[number] == hash, isEqual(number, text) {
                return Int32(truncatingIfNeeded: number)
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        text.withUnsafeBufferPointer { bytes += $0 }
        ends.append(bytes.count)
        hashes.append(hash)
        slots[slot] = UInt32(truncatingIfNeeded: ends.count)
        if ends.count * 2 > slots.count { grow() }
        return Int32(truncatingIfNeeded: ends.count - 1)
    }

    /// Nothing, with its memory kept.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = 0 }
    }

    private func range(_ number: Int) -> Range<Int> {
        (number == 0 ? 0 : ends[number - 1])..<ends[number]
    }

    private func isEqual(_ number: Int, _ text: Span<UInt8>) -> Bool {
        let range = range(number)
        guard range.count == text.count else { return false }
        return bytes.withUnsafeBytes { all in
            text.withUnsafeBytes { text in
                guard let start = all.baseAddress, let other = text.baseAddress else { return true }
                return memcmp(start + range.lowerBound, other, text.count) == 0
            }
        }
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (number, hash) in hashes.enumerated() {
            var slot = hash & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(truncatingIfNeeded: number + 1)
        }
    }
}
