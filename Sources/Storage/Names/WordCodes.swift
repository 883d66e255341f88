/// What a batch's words of one kind are in their table, by index in the batch's list.
struct WordCodes {
    /// Row ids; 0 where there is no row yet.
    private(set) var rows: [Int64] = []
    /// Of the texts, for the batch's checksum.
    private(set) var hashes: [UInt64] = []
    /// Indexes of the words that no stored event of the app has, ascending.
    private(set) var fresh: [Int] = []
    /// How many of the fresh ones count towards `max-names`.
    private(set) var counted = 0

    var count: Int { rows.count }

    package mutating func append(_ coded: HashedRow) {
        rows.append(coded.code)
        hashes.append(coded.hash)
    }

    package mutating func append(fresh coded: HashedRow, counts: Bool) {
        fresh.append(rows.count)
        if counts { counted += 1 }
        append(coded)
    }

    /// A row was made for a word that had none.
    mutating func set(row: Int64, at index: Int) { rows[index] = row }

    /// Those at some indexes, in that order.
    /// - Parameter isCounted: whether a fresh one counts, by its old index
    func keeping(_ indexes: [Int], isCounted: (Int) -> Bool) -> WordCodes {
        var kept = WordCodes()
        var isFresh = [Bool](repeating: false, count: count)
        for index in fresh { isFresh[index] = true }
        for index in indexes {
            let coded = HashedRow(code: rows[index], hash: hashes[index])
            if isFresh[index] {
                kept.append(fresh: coded, counts: isCounted(index))
            } else {
                kept.append(coded)
            }
        }
        return kept
    }

    /// None, with the memory kept.
    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        fresh.removeAll(keepingCapacity: true)
        counted = 0
    }
}
