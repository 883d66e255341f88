import Events
import TimeZones

/// What reports ask: typed questions with small, typed values, whatever keeps the events. Each value is
/// what an engine can aggregate where the events are: sums by bucket, by name, by cohort and period or by
/// length of life, and events page by page. What counts, and what ties, is as docs/reports.md says.
///
/// Values by interval stand in the order of `QueryScope.buckets`, one for each bucket. All methods throw if
/// the report is to end.
package protocol Queries: Sendable {
    /// Throws if the report is to end. A caller that computes long between questions calls it.
    func check() throws(QueryError)

    /// How many devices were active in each bucket.
    /// - Parameter trailing: by day alone: also the devices active in so many days that end with the bucket's,
    ///   before the range too; each at least 1
    func activeDevices(
        _ scope: QueryScope, by interval: Interval, trailing: [Int]
    ) throws(QueryError) -> [ActiveDevices]

    /// The sessions that began in each bucket.
    /// - Parameter percents: of which durations the nearest ranks are asked for
    func sessions(
        _ scope: QueryScope, by interval: Interval, percents: [Int]
    ) throws(QueryError) -> [SessionSums]

    /// The devices first seen in each bucket, and how many of them came back.
    /// - Parameter periods: how many periods after a cohort's own
    func cohorts(
        _ scope: QueryScope, by interval: Interval, periods: Int
    ) throws(QueryError) -> [Cohort]

    /// The lives of the devices first seen in the range, watched until its end, by their length: the first
    /// of one day.
    /// - Parameter inactive: a device is lost whose last active day is so many days before the last day
    func lifetimes(_ scope: QueryScope, inactive: Int) throws(QueryError) -> [Lifetime]

    /// Events by their names, most first: the first `limit` names.
    /// - Parameter interval: sums of each bucket are asked for, by bucket and then by name; nil: of the range
    func events(
        _ scope: QueryScope, by interval: Interval?, limit: Int
    ) throws(QueryError) -> [NamedSum]

    /// Events of one name by the values of one attribute, most first; those without it have no name, which
    /// comes first of those that tie.
    func events(
        _ scope: QueryScope, named name: ByteText, byAttribute key: ByteText, limit: Int
    ) throws(QueryError) -> [NamedSum]

    /// Counters by their names, those first that went up most.
    /// - Parameter interval: as in `events`
    func counters(
        _ scope: QueryScope, by interval: Interval?, limit: Int
    ) throws(QueryError) -> [NamedSum]

    /// Operating systems with an event, those with most devices first.
    func platforms(_ scope: QueryScope, limit: Int) throws(QueryError) -> Platforms

    /// Devices by the value of their latest event, those values with most devices first.
    /// - Parameter dimension: one of `ResourceFilter.dimensions`
    func versions(
        _ scope: QueryScope, by dimension: String, limit: Int
    ) throws(QueryError) -> Versions

    /// How many devices reached each step of a funnel.
    /// - Parameter within: milliseconds from the first step's event to the last at most
    func funnel(
        _ scope: QueryScope, _ steps: [EventMatcher], within: Int64
    ) throws(QueryError) -> [Int]

    /// What is read, by content, that with most viewers first.
    func contents(_ scope: QueryScope, limit: Int) throws(QueryError) -> [ContentSums]

    /// What is watched in full screen, by video, that with most enters first.
    /// - Parameter percents: of which durations the nearest ranks are asked for
    func videos(
        _ scope: QueryScope, percents: [Int], limit: Int
    ) throws(QueryError) -> [VideoSums]

    /// The batches that arrived in each bucket.
    /// - Parameter percents: of how late events were the nearest ranks are asked for
    func arrivals(
        _ scope: QueryScope, by interval: Interval, percents: [Int]
    ) throws(QueryError) -> Arrivals

    /// What was refused, by the bucket in which it arrived and then by the bytes of the code.
    func refusals(_ scope: QueryScope, by interval: Interval) throws(QueryError) -> [RefusalSum]

    /// Hands the events after a cursor to `sink`, in the order of an export, until it wants no more, and moves
    /// the cursor after them. After an error the cursor must not be used.
    func events(_ cursor: inout EventCursor, to sink: inout some EventSink) throws(QueryError)

    /// Whether the app has a device.
    func hasDevice(_ device: DeviceHash, of app: QueryApp) throws(QueryError) -> Bool

    /// What is kept of a device, in short; nil where the app has no such device.
    func device(_ device: DeviceHash, of app: QueryApp) throws(QueryError) -> DeviceRecord?
}
