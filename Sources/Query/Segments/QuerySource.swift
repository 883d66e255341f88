import Database
import Storage

/// What a report depends on besides its question, its settings and the batches of its app.
package enum QuerySource: Sendable {
    /// The local day of the question.
    case today
    /// How many sessions are still open.
    case openSessions
    /// Repeats that arrived in the range.
    case repeats
    /// Batches that were refused in the range.
    case refusals

    /// A number that changes whenever this source does while the batches stay the same: open
    /// sessions can only end, repeats and refusals only be added. Throws what the database throws.
    func state(_ scope: QueryScope, _ reading: Reading) throws(StorageError) -> Int64 {
        switch self {
        case .today: return Int64(scope.today.number)
        case .openSessions: return Int64(try OpenSessions.count(scope, reading))
        case .repeats:
            return try Self.count(
                """
                SELECT sum(times) FROM repeat
                WHERE app = ?1 AND quarter >= ?2 AND quarter <= ?3
                """, scope, reading)
        case .refusals:
            return try Self.count(
                """
                SELECT sum(batches) FROM refusal
                WHERE app = ?1 AND quarter >= ?2 AND quarter <= ?3
                """, scope, reading)
        }
    }

    private static func count(
        _ sql: String, _ scope: QueryScope, _ reading: Reading
    ) throws(StorageError) -> Int64 {
        let quarters = ArrivalBuckets(scope, by: .day).quarters
        let statement = try reading.prepare(sql)
        try statement.bind(1, scope.app.id)
        try statement.bind(2, quarters.lowerBound)
        try statement.bind(3, quarters.upperBound)
        return try statement.step() ? statement.int(0) : 0
    }
}
