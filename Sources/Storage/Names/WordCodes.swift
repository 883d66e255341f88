import Events

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

/// The words of a batch, and what of it may be stored: made before its transaction, piece by piece, or
/// in it.
struct BatchWords {
    var names = WordCodes()
    var attributeKeys = WordCodes()
    /// The batch without the events that bring too many names; nil: all of it.
    var part: AcceptedBatch?
    /// How many of the fresh words have been looked at for making rows.
    var lookedAtNames = 0
    var lookedAtKeys = 0

    /// How many words the app gets that none of its stored events has.
    var fresh: Int { names.fresh.count + attributeKeys.fresh.count }
    /// How many of these count towards `max-names`.
    var counted: Int { names.counted + attributeKeys.counted }
    /// Whether some have been looked up.
    var isBegun: Bool { names.count + attributeKeys.count > 0 }
    /// Whether rows have been made for all words.
    var isMade: Bool {
        lookedAtNames == names.fresh.count && lookedAtKeys == attributeKeys.fresh.count
    }

    /// Nothing is known, with the memory kept.
    mutating func removeAll() {
        names.removeAll()
        attributeKeys.removeAll()
        part = nil
        lookedAtNames = 0
        lookedAtKeys = 0
    }
}
