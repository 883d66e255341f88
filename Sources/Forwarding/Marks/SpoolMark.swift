import Database
import Storage

/// How far this node has handed over: known at once, and written down once a second or when there is time. Used
/// by the forwarder's thread alone.
final class SpoolMark {
    /// The row of the last batch that is handed over; 0: none is.
    private(set) var batch: Int64
    /// When that was, milliseconds since 1970; nil: never.
    private(set) var moment: Int64?

    private let store: Store
    private let resets: MarkResets
    private let generation: Int
    /// Of that it is written down up to there.
    private var written: Int64
    private var lastWriting: Int64 = 0

    /// What is written down.
    init(
        _ store: Store, _ resets: MarkResets, _ connection: Connection
    ) throws(StorageError) {
        (self.store, self.resets) = (store, resets)
        generation = resets.count.load(ordering: .relaxed)
        batch = try HandOverMarks.last(connection)
        moment = try HandOverMarks.lastMoment(connection)
        written = batch
    }

    /// Nobody has taken marks back since it began.
    var isCurrent: Bool { resets.count.load(ordering: .relaxed) == generation }

    /// Before anything was ever handed over, all sums count as changed.
    func begin() throws(StorageError) {
        guard moment == nil else { return }
        try HandOverMarks.takeBackAll(store)
    }

    /// All up to a batch were handed over just now.
    func move(to batch: Int64, at now: Int64) { (self.batch, moment) = (batch, now) }

    /// What was handed over after a moment counts as not handed over.
    func fallBack(after moment: Int64) throws(StorageError) {
        try write(isIdle: true)
        batch = try HandOverMarks.takeBack(after: moment, store)
        written = batch
    }

    /// Notes that sums were handed over just now, unless marks were taken back since it began.
    func note(_ counts: SpoolCounts, at now: Int64) throws(StorageError) {
        let (resets, generation) = (resets, generation)
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            guard resets.count.load(ordering: .relaxed) == generation else { return }
            try connection.transaction { () throws(StorageError) in
                try counts.note(at: now, connection)
            }
        }
    }

    /// Writes it down: once a second, and when there is time.
    func write(isIdle: Bool) throws(StorageError) {
        guard batch > written, let moment else { return }
        guard isIdle || moment - lastWriting >= 1000 || moment < lastWriting else { return }
        let (batch, resets, generation) = (batch, resets, generation)
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            guard resets.count.load(ordering: .relaxed) == generation else { return }
            try HandOverMarks.note(batch, at: moment, connection)
        }
        written = batch
        lastWriting = moment
    }
}
