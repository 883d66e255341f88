import Engine
import Events
import Query
import TimeZones

/// `Queries` by an engine: it aggregates where the events are, shard by shard, and what comes back grows with
/// the answer and never with the events. Since a device is on one shard, figures of shards add up; percentiles
/// are searched for (`RankSearches`), and names that are ranked are put together here.
package struct EngineQueries: Queries {
    private let reader: any EngineReader
    private let interruption: Interruption
    private let portions: EnginePortions

    /// For a report that ends when `interruption` is raised.
    package init(
        _ reader: any EngineReader, _ interruption: Interruption = Interruption(),
        _ portions: EnginePortions = EnginePortions()
    ) {
        self.reader = reader
        self.interruption = interruption
        self.portions = portions
    }

    private var asking: Asking { Asking(reader, interruption, portions) }

    package func check() throws(QueryError) { try asking.check() }

    package func activeDevices(
        _ scope: QueryScope, by interval: Interval, trailing: [Int]
    ) throws(QueryError) -> [ActiveDevices] {
        var asking = asking
        return try ActiveQuestion(scope, by: interval, trailing: trailing).ask(&asking)
    }

    package func deviceCount(
        _ scope: QueryScope, sending name: ByteText?, upTo limit: Int
    ) throws(QueryError) -> Int {
        var asking = asking
        return try DeviceCountQuestion.ask(scope, sending: name, upTo: limit, &asking)
    }

    package func sessions(
        _ scope: QueryScope, by interval: Interval, percents: [Int]
    ) throws(QueryError) -> [SessionSums] {
        var asking = asking
        return try SessionsQuestion(scope, by: interval, percents: percents).ask(&asking)
    }

    package func cohorts(
        _ scope: QueryScope, by interval: Interval, periods: Int
    ) throws(QueryError) -> [Cohort] {
        var asking = asking
        return try CohortsQuestion(scope, by: interval, periods: periods).ask(&asking)
    }

    package func lifetimes(
        _ scope: QueryScope, inactive: Int
    ) throws(QueryError) -> [Lifetime] {
        var asking = asking
        return try LifetimesQuestion(scope, inactive: inactive).ask(&asking)
    }

    package func events(
        _ scope: QueryScope, by interval: Interval?, limit: Int
    ) throws(QueryError) -> [NamedSum] {
        var asking = asking
        return try EventsQuestion.byName(scope, by: interval, limit: limit, &asking)
    }

    package func events(
        _ scope: QueryScope, named name: ByteText, byAttribute key: ByteText, limit: Int
    ) throws(QueryError) -> [NamedSum] {
        var asking = asking
        return try EventsQuestion.byValue(scope, name, key, limit: limit, &asking)
    }

    package func counters(
        _ scope: QueryScope, by interval: Interval?, limit: Int
    ) throws(QueryError) -> [NamedSum] {
        var asking = asking
        return try EventsQuestion.counters(scope, by: interval, limit: limit, &asking)
    }

    package func numbers(
        _ scope: QueryScope, named name: ByteText, of key: ByteText, by grouping: NumberGrouping?,
        by interval: Interval?, percents: [Int], limit: Int
    ) throws(QueryError) -> NumberSpreads {
        var asking = asking
        return try NumbersQuestion(
            scope, name, key, grouping, interval, percents: percents, limit: limit
        ).ask(&asking)
    }

    package func hours(_ scope: QueryScope) throws(QueryError) -> [HourSums] {
        var asking = asking
        return try HoursQuestion(scope).ask(&asking)
    }

    package func lengths(
        _ scope: QueryScope, edges: [Int64]
    ) throws(QueryError) -> [LengthSums] {
        var asking = asking
        return try LengthsQuestion(scope, edges: edges).ask(&asking)
    }

    package func platforms(_ scope: QueryScope, limit: Int) throws(QueryError) -> Platforms {
        var asking = asking
        return try PlatformsQuestion(scope, limit: limit).ask(&asking)
    }

    package func versions(
        _ scope: QueryScope, by dimension: String, interval: Interval?, limit: Int
    ) throws(QueryError) -> Versions {
        var asking = asking
        return try VersionsQuestion(scope, by: dimension, interval, limit: limit).ask(&asking)
    }

    package func funnel(
        _ scope: QueryScope, _ steps: [EventMatcher], within: Int64
    ) throws(QueryError) -> [Int] {
        var asking = asking
        return try FunnelQuestion(scope, steps, within: within).ask(&asking)
    }

    package func contents(
        _ scope: QueryScope, limit: Int
    ) throws(QueryError) -> [ContentSums] {
        var asking = asking
        return try ContentsQuestion(scope, limit: limit).ask(&asking)
    }

    package func videos(
        _ scope: QueryScope, percents: [Int], limit: Int
    ) throws(QueryError) -> [VideoSums] {
        var asking = asking
        return try VideosQuestion(scope, percents: percents, limit: limit).ask(&asking)
    }

    package func arrivals(
        _ scope: QueryScope, by interval: Interval, percents: [Int], clients: Int
    ) throws(QueryError) -> Arrivals {
        var asking = asking
        return try ArrivalsQuestion(scope, by: interval, percents: percents, clients: clients)
            .ask(&asking)
    }

    package func refusals(
        _ scope: QueryScope, by interval: Interval
    ) throws(QueryError) -> [RefusalSum] {
        var asking = asking
        return try RefusalsQuestion(scope, by: interval).ask(&asking)
    }

    package func events<Text: Sendable>(
        _ cursor: inout EventCursor, limit: Int,
        _ render: @escaping @Sendable (ExportedEvents) -> Text
    ) throws(QueryError) -> [Text] {
        try check()
        var pages = cursor.ahead as? EventPages ?? EventPages(cursor, shards: reader.shards)
        // So that nothing else refers to the events in `ahead`, and they are not copied.
        cursor.ahead = nil
        let (events, last) = try pages.take(limit, reader, interruption)
        cursor.position = last ?? cursor.position
        cursor.isDone = pages.isDone
        cursor.ahead = pages
        return events.isEmpty ? [] : [render(events)]
    }

    package func hasDevice(
        _ device: DeviceHash, of app: QueryApp
    ) throws(QueryError) -> Bool {
        var asking = asking
        return try DeviceQuestion(device, of: app).isKnown(&asking)
    }

    package func device(
        _ device: DeviceHash, of app: QueryApp
    ) throws(QueryError) -> DeviceRecord? {
        var asking = asking
        return try DeviceQuestion(device, of: app).ask(&asking)
    }
}
