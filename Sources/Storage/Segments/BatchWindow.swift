import Database

/// The batches of an app that may have events between two instants, by the two indexes that the
/// schema has for it: one for those of at most a day, one for the few that span more.
package enum BatchWindow {
    /// Row, device, resource, first and last time, arrival of each. ?5 is the app, ?6 the first instant, ?7
    /// the one behind the last.
    static let select = select([])

    /// The same with further columns behind.
    static func select(_ further: [String]) -> String {
        let columns =
            (["id", "device", "resource", "first_time", "last_time", "received_at"]
            + further)
            .joined(separator: ", ")
        return """
            SELECT \(columns)
            FROM batch INDEXED BY batch_by_hour
            WHERE app = ?5 AND last_time - first_time <= 86400000
              AND first_time / 3600000 >= (?6 - 86400000) / 3600000
              AND first_time / 3600000 <= ?7 / 3600000
              AND first_time < ?7 AND last_time >= ?6
            UNION ALL
            SELECT \(columns)
            FROM batch INDEXED BY batch_by_long_time
            WHERE app = ?5 AND last_time - first_time > 86400000
              AND first_time < ?7 AND last_time >= ?6
            """
    }
}

extension Statement {
    /// Binds ?5 to ?7 to an app and a stretch of time.
    func bind(app: Int64, window: Range<Int64>) throws(StorageError) {
        try bind(5, app)
        try bind(6, window.lowerBound)
        try bind(7, window.upperBound)
    }
}
