import Events
import TimeZones

/// The questions that reports ask, with small, typed answers, whatever engine stores the events. An
/// engine can aggregate each answer where the events are: sums by bucket, by name, by cohort and
/// period or by length of life, and events page by page. docs/reports.md defines what counts and
/// how ties are broken.
///
/// Values by interval come in the order of `QueryScope.buckets`, one for each bucket. All methods
/// throw if the report has to end.
package protocol Queries: Sendable {
    /// Throws if the report has to end. A caller that computes long between questions calls it.
    func check() throws(QueryError)

    /// How many devices were active in each bucket.
    /// - Parameter trailing: by day only: counts also the devices active in this many days up to
    ///   the bucket's, even before the range; each at least 1
    func activeDevices(
        _ scope: QueryScope, by interval: Interval, trailing: [Int]
    ) throws(QueryError) -> [ActiveDevices]

    /// How many devices that are not shared have an event in the range that the filters let through.
    /// - Parameters:
    ///   - name: of the event; nil: any
    ///   - limit: no more are counted
    func deviceCount(
        _ scope: QueryScope, sending name: ByteText?, upTo limit: Int
    ) throws(QueryError) -> Int

    /// The sessions that began in each bucket.
    /// - Parameter percents: the percentiles of durations that are asked for, as nearest ranks
    func sessions(
        _ scope: QueryScope, by interval: Interval, percents: [Int]
    ) throws(QueryError) -> [SessionSums]

    /// The devices first seen in each bucket, and how many of them came back.
    /// - Parameter periods: how many periods after a cohort's own
    func cohorts(
        _ scope: QueryScope, by interval: Interval, periods: Int
    ) throws(QueryError) -> [Cohort]

    /// The lives of the devices first seen in the range, observed until its end, by their length;
    /// the first is of one day.
    /// - Parameter inactive: a device is lost if its last active day is this many days before the
    ///   last day
    func lifetimes(_ scope: QueryScope, inactive: Int) throws(QueryError) -> [Lifetime]

    /// Events by name, the most frequent first: the first `limit` names.
    /// - Parameter interval: asks for sums by bucket and then by name; nil: for sums of the range
    func events(
        _ scope: QueryScope, by interval: Interval?, limit: Int
    ) throws(QueryError) -> [NamedSum]

    /// Events of one name by the values of one attribute, the most frequent first; events without
    /// the attribute have a nil name, which comes first among ties.
    func events(
        _ scope: QueryScope, named name: ByteText, byAttribute key: ByteText, limit: Int
    ) throws(QueryError) -> [NamedSum]

    /// How the numbers spread that events of one name have for one attribute: without `grouping` one spread for
    /// each bucket, or one; with it by bucket, and there those first that have most numbers, events without the
    /// value first of those that tie, then by the values' bytes.
    /// - Parameters:
    ///   - interval: as in `events`
    ///   - limit: values at most, by how many numbers they have over all buckets; without effect without `grouping`
    ///   - percents: of which the nearest ranks are asked for
    func numbers(
        _ scope: QueryScope, named name: ByteText, of key: ByteText, by grouping: NumberGrouping?,
        by interval: Interval?, percents: [Int], limit: Int
    ) throws(QueryError) -> NumberSpreads

    /// What happened in each hour of the week, on the clocks of the scope's zone: 168 of them, the first that of a
    /// Monday after midnight.
    func hours(_ scope: QueryScope) throws(QueryError) -> [HourSums]

    /// Sessions by how long they were.
    /// - Parameter edges: milliseconds, ascending, the first 0: each begins a length, which the next one ends
    func lengths(_ scope: QueryScope, edges: [Int64]) throws(QueryError) -> [LengthSums]

    /// Counters by name, those first that went up most.
    /// - Parameter interval: as in `events`
    func counters(
        _ scope: QueryScope, by interval: Interval?, limit: Int
    ) throws(QueryError) -> [NamedSum]

    /// Operating systems with an event, those with the most devices first.
    func platforms(_ scope: QueryScope, limit: Int) throws(QueryError) -> Platforms

    /// Devices by the value of their latest event in the range, those values with most devices first.
    /// - Parameters:
    ///   - dimension: one of `ResourceFilter.dimensions`
    ///   - interval: each bucket is asked for as if it were the range; values are limited by the sums of their
    ///     devices over all buckets
    func versions(
        _ scope: QueryScope, by dimension: String, interval: Interval?, limit: Int
    ) throws(QueryError) -> Versions

    /// How many devices reached each step of a funnel.
    /// - Parameter within: the most milliseconds from the first step's event to the last step's
    func funnel(
        _ scope: QueryScope, _ steps: [EventMatcher], within: Int64
    ) throws(QueryError) -> [Int]

    /// What is read, by content, that with the most viewers first.
    func contents(_ scope: QueryScope, limit: Int) throws(QueryError) -> [ContentSums]

    /// What is watched in full screen, by video, that with the most enters first.
    /// - Parameter percents: the percentiles of durations that are asked for, as nearest ranks
    func videos(
        _ scope: QueryScope, percents: [Int], limit: Int
    ) throws(QueryError) -> [VideoSums]

    /// The batches that arrived in each bucket.
    /// - Parameters:
    ///   - percents: the percentiles of lateness that are asked for, as nearest ranks
    ///   - clients: how many clients are asked for by name
    func arrivals(
        _ scope: QueryScope, by interval: Interval, percents: [Int], clients: Int
    ) throws(QueryError) -> Arrivals

    /// What was refused, by the bucket in which it arrived and then by the bytes of the code.
    func refusals(_ scope: QueryScope, by interval: Interval) throws(QueryError) -> [RefusalSum]

    /// Passes the events after a cursor to `render`, in the order of an export, in one portion or several,
    /// and moves the cursor after them. After an error the cursor must not be used.
    /// - Parameters:
    ///   - limit: bytes of lines, about: more at most by a line, none only where no event is left
    ///   - render: is called with one portion at a time of each thread
    /// - Returns: what `render` made, in order
    func events<Text: Sendable>(
        _ cursor: inout EventCursor, limit: Int,
        _ render: @escaping @Sendable (ExportedEvents) -> Text
    ) throws(QueryError) -> [Text]

    /// Whether the app has a device.
    func hasDevice(_ device: DeviceHash, of app: QueryApp) throws(QueryError) -> Bool

    /// A summary of what is stored of a device; nil where the app has no such device.
    func device(_ device: DeviceHash, of app: QueryApp) throws(QueryError) -> DeviceRecord?
}
