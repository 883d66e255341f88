import Database
import Storage

/// What is known of the machine's clock over restarts (docs/operation.md, A clock that is vouched for).
extension Store {
    fileprivate static let acceptedAt = "clock_accepted_at"
    fileprivate static let rightAt = "clock_right_at"
    fileprivate static let rightTo = "clock_right_to"
    fileprivate static let doubtedFrom = "clock_doubted_from"

    /// The operator vouches for the clock, which says `now`, milliseconds since 1970-01-01T00:00:00Z: what is stored as
    /// later was stored by a clock that ran ahead.
    package func acceptClock(at now: Int64) throws(StorageError) {
        try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try connection.setFact(Self.acceptedAt, now)
                try connection.noteClockIsRight(at: now)
            }
        }
    }

    /// Something speaks against the clock: it says nothing of the time when batches arrive from now on, until somebody
    /// vouches. Else one that ran ahead would be believed at the next start.
    package func noteClockIsDoubtful() throws(StorageError) {
        try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                guard try connection.fact(Self.doubtedFrom) == nil else { return }
                try connection.setFact(Self.doubtedFrom, try connection.lastBatch())
            }
        }
    }

    /// Somebody vouches for the clock, which says `now`.
    package func noteClockIsRight(at now: Int64) throws(StorageError) {
        try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try connection.noteClockIsRight(at: now)
            }
        }
    }

    /// What was noted.
    package func clockRecord() throws(StorageError) -> ClockRecord { try reader().clockRecord() }
}

/// What is stored of arrivals and of those who vouched for the clock; milliseconds since 1970-01-01T00:00:00Z.
package struct ClockRecord: Sendable, Equatable {
    /// When the newest stored batch arrived, but for those that a clock which ran ahead stored; nil without one.
    package let newest: Int64?
    /// When the operator vouched last; nil: never.
    package let accepted: Int64?

    package init(newest: Int64?, accepted: Int64?) {
        (self.newest, self.accepted) = (newest, accepted)
    }
}

extension Connection {
    /// What was noted of the clock.
    package func clockRecord() throws(StorageError) -> ClockRecord {
        let rightAt = try fact(Store.rightAt)
        let arrival = try newestArrival(
            after: try fact(Store.rightTo) ?? 0, upTo: try fact(Store.doubtedFrom) ?? .max)
        let newest = [rightAt, arrival].compactMap(\.self).max()
        return ClockRecord(newest: newest, accepted: try fact(Store.acceptedAt))
    }

    fileprivate func noteClockIsRight(at now: Int64) throws(StorageError) {
        try setFact(Store.rightAt, now)
        try setFact(Store.rightTo, try lastBatch())
        try removeFact(Store.doubtedFrom)
    }

    fileprivate func lastBatch() throws(StorageError) -> Int64 {
        try integer("SELECT coalesce(max(id), 0) FROM batch") ?? 0
    }
}
