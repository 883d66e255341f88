import Database
import Events

/// Names of events and keys of attributes: texts to rows, and how many each app has.
///
/// A batch's words are looked up, then judged by `max-names`, then those without a row get one, then it
/// is noted that the app has them. The first two change nothing. The third may be done in transactions
/// before the batch's own (`WordDrafts`), the last only in it.
final class NameTables {
    private var names: WordTable
    private var attributeKeys: WordTable
    /// How many names an app may have.
    private let limit: Int
    /// How many each app has, as far as that is known.
    private var used: [Int64: Int] = [:]
    /// Another one since what is known of words may be wrong.
    private(set) var epoch = Epoch()

    /// Known by its identity.
    final class Epoch: Sendable {}

    init(_ connection: Connection, limit: Int) throws(StorageError) {
        names = try WordTable(.name, on: connection)
        attributeKeys = try WordTable(.attributeKey, on: connection)
        self.limit = limit
    }

    /// Looks up what `words` does not have yet.
    /// - Parameter deadline: uptime in nanoseconds at which it may stop
    /// - Returns: whether it has all words
    func lookUp(
        _ batch: borrowing AcceptedBatch, into words: inout BatchWords,
        until deadline: UInt64 = Deadline.never
    ) throws(StorageError) -> Bool {
        let hasNames = try names.lookUp(
            batch.names, of: batch.app, into: &words.names, until: deadline)
        guard hasNames else { return false }
        return try attributeKeys.lookUp(
            batch.attributeKeys, of: batch.app, into: &words.attributeKeys, until: deadline)
    }

    /// Leaves the events out that bring more names than the app has left. All words have been looked up.
    func judge(
        _ batch: borrowing AcceptedBatch, _ words: inout BatchWords
    ) throws(StorageError) {
        guard words.counted > 0 else { return }
        let left = limit - (try used(by: batch.app))
        if words.counted <= left { return }
        let newNames = Self.flags(words.names) { names.counts(batch.names[$0]) }
        let newKeys = Self.flags(words.attributeKeys) {
            attributeKeys.counts(batch.attributeKeys[$0])
        }
        var judge = NameLimit(newNames: newNames, newKeys: newKeys, left: left)
        let kept = judge.kept(of: batch)
        if kept.count == batch.events.count { return }
        let part = batch.keeping(kept, rejectingOthersBy: .tooManyNames)
        words.part = part.batch
        words.names = words.names.keeping(part.names) { newNames[$0] }
        words.attributeKeys = words.attributeKeys.keeping(part.attributeKeys) { newKeys[$0] }
    }

    private static func flags(_ codes: WordCodes, _ counts: (Int) -> Bool) -> [Bool] {
        var flags = [Bool](repeating: false, count: codes.count)
        for index in codes.fresh { flags[index] = counts(index) }
        return flags
    }

    private func used(by app: Int64) throws(StorageError) -> Int {
        if let count = used[app] { return count }
        let count = try names.used(by: app) + attributeKeys.used(by: app)
        used[app] = count
        return count
    }

    /// Makes rows for words that have none, in a transaction.
    /// - Parameter batch: of which the words are: the part of it that is stored
    func makeRows(
        for batch: borrowing AcceptedBatch, _ words: inout BatchWords,
        until deadline: UInt64 = Deadline.never
    ) throws(StorageError) {
        try names.makeRows(
            for: batch.names, &words.names, from: &words.lookedAtNames, until: deadline)
        try attributeKeys.makeRows(
            for: batch.attributeKeys, &words.attributeKeys, from: &words.lookedAtKeys,
            until: deadline)
    }

    /// Notes that the app has the words, in the transaction that stores the batch.
    func addUses(
        of batch: borrowing AcceptedBatch, _ words: borrowing BatchWords
    ) throws(StorageError) {
        try names.addUses(of: batch.names, words.names, by: batch.app)
        try attributeKeys.addUses(of: batch.attributeKeys, words.attributeKeys, by: batch.app)
        if let count = used[batch.app] { used[batch.app] = count + words.counted }
    }

    /// After a rollback, or when others have changed the rows.
    func forget() {
        names.forget()
        attributeKeys.forget()
        used = [:]
        epoch = Epoch()
    }
}

/// Which events of a batch bring more new names than their app has left (docs/protocol.md, Names).
/// Events count in the batch's order: one that is taken brings its names for those after it, one that
/// is rejected brings none.
struct NameLimit {
    /// By index in the batch's lists: words that count and that are new to the app.
    private var newNames: [Bool]
    private var newKeys: [Bool]
    private var left: Int

    /// - Parameters:
    ///   - newNames: by index in `AcceptedBatch.names`, whether the app would have one name more with it
    ///   - newKeys: the same of `AcceptedBatch.attributeKeys`
    ///   - left: how many names more the app may have
    init(newNames: [Bool], newKeys: [Bool], left: Int) {
        self.newNames = newNames
        self.newKeys = newKeys
        self.left = max(left, 0)
    }

    /// The events that stay, as indexes in `AcceptedBatch.events`, ascending. To be asked once.
    mutating func kept(of batch: borrowing AcceptedBatch) -> [Int] {
        var kept: [Int] = []
        kept.reserveCapacity(batch.events.count)
        // Of one event; a batch's keys are distinct within it.
        var keys: [Int] = []
        let text = batch.text.span
        for (index, event) in batch.events.enumerated() {
            keys.removeAll(keepingCapacity: true)
            let name = Int(event.name)
            AttributeText.forEachKey(of: event, in: text) { key, _ in
                if newKeys[key] { keys.append(key) }
            }
            let count = keys.count + (newNames[name] ? 1 : 0)
            if count > left { continue }
            left -= count
            newNames[name] = false
            for key in keys { newKeys[key] = false }
            kept.append(index)
        }
        return kept
    }
}

/// What of a batch is accepted once `max-names` has been applied: the counts that `AcceptedBatch` has
/// of the whole.
package struct NameVerdict: Sendable, Equatable {
    package let accepted: Int
    package let rejected: Int
    /// The first `Rejection.maxReported`.
    package let rejections: [Rejection]
    /// By code, in order of `EventRule`.
    package let rejectionCounts: [RejectionCount]

    init(_ part: borrowing AcceptedBatch) {
        accepted = part.events.count
        rejected = part.rejected
        rejections = part.rejections
        rejectionCounts = part.rejectionCounts
    }
}
