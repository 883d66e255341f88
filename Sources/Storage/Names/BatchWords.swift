import Events

/// The words of a batch, and what of it may be stored: made before its transaction, piece by piece, or in it.
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
