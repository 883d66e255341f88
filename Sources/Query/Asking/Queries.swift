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

    /// Counters by name, those first that went up most.
    /// - Parameter interval: as in `events`
    func counters(
        _ scope: QueryScope, by interval: Interval?, limit: Int
    ) throws(QueryError) -> [NamedSum]

    /// Operating systems with an event, those with the most devices first.
    func platforms(_ scope: QueryScope, limit: Int) throws(QueryError) -> Platforms

    /// Devices by the value of their latest event, the values with the most devices first.
    /// - Parameter dimension: one of `ResourceFilter.dimensions`
    func versions(
        _ scope: QueryScope, by dimension: String, limit: Int
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
    /// - Parameter percents: the percentiles of lateness that are asked for, as nearest ranks
    func arrivals(
        _ scope: QueryScope, by interval: Interval, percents: [Int]
    ) throws(QueryError) -> Arrivals

    /// What was refused, by the bucket in which it arrived and then by the bytes of the code.
    func refusals(_ scope: QueryScope, by interval: Interval) throws(QueryError) -> [RefusalSum]

    /// Passes the events after a cursor to `sink`, in the order of an export, until it is full, and
    /// moves the cursor after them. After an error the cursor must not be used.
    func events(_ cursor: inout EventCursor, to sink: inout some EventSink) throws(QueryError)

    /// Whether the app has a device.
    func hasDevice(_ device: DeviceHash, of app: QueryApp) throws(QueryError) -> Bool

    /// A summary of what is stored of a device; nil where the app has no such device.
    func device(_ device: DeviceHash, of app: QueryApp) throws(QueryError) -> DeviceRecord?
}
