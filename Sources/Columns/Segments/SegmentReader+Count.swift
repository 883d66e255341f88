/// How often the names of a segment come in one of its parts.
package struct NameCounts {
    /// By the name's index in `nameRows`.
    fileprivate var counts: [Int32] = []
    /// The first `used` are the indices of the names that come, each once.
    fileprivate var indices: [Int32] = []
    fileprivate var used = 0

    /// Without names.
    package init() {}

    /// Calls `body` with the index of each name that comes and how often it comes.
    @inline(__always)
    package func forEach(_ body: (_ name: Int, _ count: Int) -> Void) {
        for index in 0..<used {
            let name = Int(indices[index])
            body(name, Int(counts[name]))
        }
    }

    /// For a part of a segment with so many names.
    fileprivate mutating func clear(_ names: Int) {
        for index in 0..<used { counts[Int(indices[index])] = 0 }
        used = 0
        if counts.count == names { return }
        counts = [Int32](repeating: 0, count: names)
        // The last one is written when all are in use, and not read.
        indices = [Int32](repeating: 0, count: names + 1)
    }
}

/// Events of a part by their names alone.
extension SegmentReader {
    /// Counts the part's events by name; only with the column `names`. Where the segment is broken no
    /// name comes.
    package mutating func countNames(into found: inout NameCounts) {
        found.clear(nameRows.count)
        locate()
        namesColumn.seek(namesOffset)
        let bits = namesColumn.bits(namesColumn.take(count, width: nameWidth), width: nameWidth)
        if isBroken { return }
        found.used = countNames(bits, &found.counts, &found.indices)
        if isWrong { found.clear(nameRows.count) }
    }

    /// - Returns: how many indices there are
    private mutating func countNames(
        _ bits: PackedReader.Bits, _ counts: inout [Int32], _ indices: inout [Int32]
    ) -> Int {
        var (bits, used) = (bits, 0)
        var counts = counts.mutableSpan
        var indices = indices.mutableSpan
        for _ in 0..<count {
            let number = bits.next(in: namesColumn)
            guard number < UInt64(counts.count) else {
                isWrong = true
                break
            }
            let name = Int(truncatingIfNeeded: number)
            // Without a branch: which name is new is as good as random.
            indices[used] = Int32(truncatingIfNeeded: name)
            used &+= counts[name] == 0 ? 1 : 0
            counts[name] &+= 1
        }
        return used
    }
}
