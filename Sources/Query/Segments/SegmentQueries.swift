import Database
import Events
import Storage
import TimeZones

/// `Queries` over the segments of a database: a connection that only one report uses meanwhile, and
/// the flag that ends the report. Its owner decides which questions see one state of the data
/// (`transaction`); reports only see `Queries`.
package struct SegmentQueries: Queries {
    private let reading: Reading

    /// For a report that ends when `interruption` is raised.
    package init(
        _ connection: Connection, _ interruption: Interruption = Interruption(),
        _ environment: ReportEnvironment = ReportEnvironment()
    ) {
        self.init(Reading(connection, interruption, environment))
    }

    init(_ reading: Reading) { self.reading = reading }

    /// Calls `body` so that all its questions see one state of the data.
    package func transaction<T>(
        _ body: (any Queries) throws(QueryError) -> T
    ) throws(QueryError) -> T {
        let outcome = try ask { () throws(StorageError) in
            try reading.transaction { () throws(StorageError) in
                Result { () throws(QueryError) in try body(self) }
            }
        }
        return try outcome.get()
    }

    /// Calls `body` for an answer as `transaction` does, unless the caller knows the answer: then
    /// nil.
    /// - Parameters:
    ///   - question: the question in its canonical form
    ///   - sources: what the answer depends on besides that and the batches of the app
    ///   - isKnown: whether the caller knows the answer of this version, which `body` would compute
    package func answer<T>(
        _ scope: QueryScope, to question: [UInt8], from sources: [QuerySource],
        unless isKnown: (_ version: [UInt8]) -> Bool,
        _ body: (any Queries) throws(QueryError) -> T
    ) throws(QueryError) -> T? {
        try transaction { (queries) throws(QueryError) in
            let version = try ask { () throws(StorageError) in
                question + (try AnswerVersion.bytes(scope, sources, reading))
            }
            return isKnown(version) ? nil : try body(queries)
        }
    }

    /// The version of the answer to a question, for an answer that comes in pages.
    package func version(
        _ scope: QueryScope, of question: [UInt8], from sources: [QuerySource]
    ) throws(QueryError) -> [UInt8] {
        try ask { () throws(StorageError) in
            try reading.transaction { () throws(StorageError) in
                question + (try AnswerVersion.bytes(scope, sources, reading))
            }
        }
    }

    /// Rethrows an error of the database as one of the protocol.
    private func ask<T>(_ body: () throws(StorageError) -> T) throws(QueryError) -> T {
        do throws(StorageError) {
            return try body()
        } catch {
            throw QueryError(error, reading.account)
        }
    }

    package func check() throws(QueryError) {
        try ask { () throws(StorageError) in try reading.check() }
    }

    package func activeDevices(
        _ scope: QueryScope, by interval: Interval, trailing: [Int]
    ) throws(QueryError) -> [ActiveDevices] {
        try ask { () throws(StorageError) in
            try ActiveQuery.run(scope, by: interval, trailing: trailing, reading)
        }
    }

    package func deviceCount(
        _ scope: QueryScope, sending name: ByteText?, upTo limit: Int
    ) throws(QueryError) -> Int {
        try ask { () throws(StorageError) in
            try DeviceCountQuery.run(scope, sending: name, upTo: limit, reading)
        }
    }

    package func sessions(
        _ scope: QueryScope, by interval: Interval, percents: [Int]
    ) throws(QueryError) -> [SessionSums] {
        try ask { () throws(StorageError) in
            try SessionsQuery.run(scope, by: interval, percents: percents, reading)
        }
    }

    package func cohorts(
        _ scope: QueryScope, by interval: Interval, periods: Int
    ) throws(QueryError) -> [Cohort] {
        try ask { () throws(StorageError) in
            try RetentionQuery.run(scope, by: interval, periods: periods, reading)
        }
    }

    package func lifetimes(
        _ scope: QueryScope, inactive: Int
    ) throws(QueryError) -> [Lifetime] {
        try ask { () throws(StorageError) in
            try LifetimeQuery.run(scope, inactive: inactive, reading)
        }
    }

    package func events(
        _ scope: QueryScope, by interval: Interval?, limit: Int
    ) throws(QueryError) -> [NamedSum] {
        try ask { () throws(StorageError) in
            try EventsQuery.byName(scope, by: interval, limit: limit, reading)
        }
    }

    package func events(
        _ scope: QueryScope, named name: ByteText, byAttribute key: ByteText, limit: Int
    ) throws(QueryError) -> [NamedSum] {
        try ask { () throws(StorageError) in
            try EventsQuery.byValue(scope, name, key, limit: limit, reading)
        }
    }

    package func numbers(
        _ scope: QueryScope, named name: ByteText, of key: ByteText, by grouping: NumberGrouping?,
        by interval: Interval?, percents: [Int], limit: Int
    ) throws(QueryError) -> NumberSpreads {
        try ask { () throws(StorageError) in
            try NumbersQuery(scope, name, key, grouping, interval, reading)
                .run(percents: percents, limit: limit)
        }
    }

    package func hours(_ scope: QueryScope) throws(QueryError) -> [HourSums] {
        try ask { () throws(StorageError) in try HoursQuery.run(scope, reading) }
    }

    package func lengths(
        _ scope: QueryScope, edges: [Int64]
    ) throws(QueryError) -> [LengthSums] {
        try ask { () throws(StorageError) in
            try LengthsQuery.run(scope, edges: edges, reading)
        }
    }

    package func counters(
        _ scope: QueryScope, by interval: Interval?, limit: Int
    ) throws(QueryError) -> [NamedSum] {
        try ask { () throws(StorageError) in
            try CountersQuery.run(scope, by: interval, limit: limit, reading)
        }
    }

    package func platforms(_ scope: QueryScope, limit: Int) throws(QueryError) -> Platforms {
        try ask { () throws(StorageError) in
            try PlatformsQuery.run(scope, limit: limit, reading)
        }
    }

    package func versions(
        _ scope: QueryScope, by dimension: String, interval: Interval?, limit: Int
    ) throws(QueryError) -> Versions {
        try ask { () throws(StorageError) in
            try VersionsQuery.run(scope, by: dimension, interval, limit: limit, reading)
        }
    }

    package func funnel(
        _ scope: QueryScope, _ steps: [EventMatcher], within: Int64
    ) throws(QueryError) -> [Int] {
        try ask { () throws(StorageError) in
            try FunnelQuery.run(scope, steps, within: within, reading)
        }
    }

    package func contents(
        _ scope: QueryScope, limit: Int
    ) throws(QueryError) -> [ContentSums] {
        try ask { () throws(StorageError) in
            try ContentQuery.run(scope, limit: limit, reading)
        }
    }

    package func videos(
        _ scope: QueryScope, percents: [Int], limit: Int
    ) throws(QueryError) -> [VideoSums] {
        try ask { () throws(StorageError) in
            try VideosQuery.run(scope, percents: percents, limit: limit, reading)
        }
    }

    package func arrivals(
        _ scope: QueryScope, by interval: Interval, percents: [Int], clients: Int
    ) throws(QueryError) -> Arrivals {
        try ask { () throws(StorageError) in
            try QualityQuery.run(
                scope, by: interval, percents: percents, clients: clients, reading)
        }
    }

    package func refusals(
        _ scope: QueryScope, by interval: Interval
    ) throws(QueryError) -> [RefusalSum] {
        try ask { () throws(StorageError) in
            try RefusalsQuery.run(scope, by: interval, reading)
        }
    }

    package func events<Text: Sendable>(
        _ cursor: inout EventCursor, limit: Int,
        _ render: @escaping @Sendable (ExportedEvents) -> Text
    ) throws(QueryError) -> [Text] {
        try ask { () throws(StorageError) in
            var ahead =
                if let known = cursor.ahead as? EventsAhead {
                    known
                } else {
                    try EventsAhead(cursor, reading)
                }
            let (texts, last) = try ahead.take(limit, reading, render)
            cursor.position = last ?? cursor.position
            cursor.isDone = ahead.isDone
            cursor.ahead = ahead
            return texts
        }
    }

    package func hasDevice(
        _ device: DeviceHash, of app: QueryApp
    ) throws(QueryError) -> Bool {
        try ask { () throws(StorageError) in
            try DeviceRow.find(device, of: app, reading) != nil
        }
    }

    package func device(
        _ device: DeviceHash, of app: QueryApp
    ) throws(QueryError) -> DeviceRecord? {
        try ask { () throws(StorageError) in try DeviceQuery.run(device, of: app, reading) }
    }
}
