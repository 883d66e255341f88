import Database
import Engine
import Storage

/// Sums of repeats and refusals that have changed since they were handed over, as rows of the engine, and
/// what is to be noted of these changes once they are.
package struct SpoolCounts: Sendable {
    /// Of `arrival`, by shard, in `RowBinary`.
    package internal(set) var arrivals: [RowBinary.Writer]
    /// Of `refusal`, in `RowBinary`.
    package internal(set) var refusals = RowBinary.Writer()
    /// Keys, and the sums that were read.
    var repeatKeys: [(app: Int64, quarter: Int64, batch: Int64, times: Int64)] = []
    var refusalKeys: [(app: Int64, quarter: Int64, code: [UInt8], batches: Int64)] = []

    /// Whether there is nothing.
    package var isEmpty: Bool { repeatKeys.isEmpty && refusalKeys.isEmpty }

    /// Notes that they are handed over: those that have changed meanwhile wait still.
    /// - Parameter now: milliseconds since 1970
    package func note(at now: Int64, _ connection: Connection) throws(StorageError) {
        let change = try connection.prepare(
            """
            UPDATE repeat_change SET handed_over = ?5
            WHERE app = ?1 AND quarter = ?2 AND batch = ?3
                AND coalesce((SELECT times FROM repeat
                    WHERE app = ?1 AND quarter = ?2 AND batch = ?3), ?4) = ?4
            """)
        for key in repeatKeys {
            try change.bind(1, key.app)
            try change.bind(2, key.quarter)
            try change.bind(3, key.batch)
            try change.bind(4, key.times)
            try change.bind(5, now)
            try change.run()
        }
        let refusal = try connection.prepare(
            """
            UPDATE refusal_change SET handed_over = ?5
            WHERE app = ?1 AND quarter = ?2 AND code = ?3
                AND coalesce((SELECT batches FROM refusal
                    WHERE app = ?1 AND quarter = ?2 AND code = ?3), ?4) = ?4
            """)
        for key in refusalKeys {
            try refusal.bind(1, key.app)
            try refusal.bind(2, key.quarter)
            try refusal.bindText(3, key.code)
            try refusal.bind(4, key.batches)
            try refusal.bind(5, now)
            try refusal.run()
        }
    }
}
