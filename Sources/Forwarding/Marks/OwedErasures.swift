import Database
import Storage

/// Erasures that the engine has to carry out once more, since somebody has had this node hand over again:
/// the engine may have been put back from a copy, or a part of it (docs/scale.md, Erasing, pruning, copies).
struct OwedErasures {
    /// Those that began at that moment or later, milliseconds since 1970.
    let begin: Int64
    /// How often some were owed.
    private let count: Int64

    /// Facts of `meta`.
    private static let beginFact = "erasures_owed_from"
    private static let countFact = "erasures_owed"

    /// Nil: none is owed.
    init?(_ connection: Connection) throws(StorageError) {
        guard let begin = try connection.fact(Self.beginFact) else { return nil }
        self.begin = begin
        count = try connection.fact(Self.countFact) ?? 0
    }

    /// Those from a moment on are owed from now on. In a transaction.
    static func owe(from moment: Int64, _ connection: Connection) throws(StorageError) {
        let known = try connection.fact(beginFact) ?? moment
        try connection.setFact(beginFact, min(known, moment))
        try connection.setFact(countFact, (try connection.fact(countFact) ?? 0) &+ 1)
    }

    /// They are done, unless some were owed meanwhile.
    func pay(_ store: Store) throws(StorageError) {
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                if try connection.fact(Self.countFact) == count {
                    try connection.removeFact(Self.beginFact)
                }
            }
        }
    }
}
