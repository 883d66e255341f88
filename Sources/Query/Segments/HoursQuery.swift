import Columns
import Database
import Storage
import TimeZones

/// What happened in each hour of the week. Its state is counts, and the set of pairs of device and hour: merging
/// is adding and union.
enum HoursQuery {
    private static let hours = 7 * 24

    private struct Events: ReportShare {
        private let shared: SharedDevices
        private let range: ClosedRange<Int>
        private var days: LocalDays
        /// By hour.
        private(set) var counts = [Int](repeating: 0, count: hours)
        /// With a column for each hour, where other reports have days.
        private(set) var devices: DayMatrix

        init(_ scope: QueryScope, _ shared: SharedDevices, _ account: ReportAccount) {
            self.shared = shared
            range = scope.from.number...scope.to.number
            days = LocalDays(scope.zone, from: scope.from, to: scope.to)
            devices = DayMatrix(days: hours, account)
        }

        /// Adds the events of a part, whose times are read where they do not all lie in one hour.
        @inline(__always)
        mutating func add(_ part: inout SegmentReader) {
            if let hour = days.hour(at: part.first), part.last < hour.end {
                return add(part.count, hour, of: part.device)
            }
            part.readTimes()
            var (hour, count): (LocalHour?, Int) = (nil, 0)
            for index in 0..<part.count {
                let time = part.times[index]
                if let known = hour, time >= known.start, time < known.end {
                    count &+= 1
                    continue
                }
                if let hour { add(count, hour, of: part.device) }
                (hour, count) = (days.hour(at: time), 1)
            }
            if let hour { add(count, hour, of: part.device) }
        }

        private mutating func add(_ count: Int, _ hour: LocalHour, of device: Int64) {
            guard range.contains(hour.day) else { return }
            counts[hour.ofWeek] += count
            if !shared.contains(device) { devices.insert(device, hour.ofWeek) }
        }

        mutating func merge(_ other: Events) {
            for hour in counts.indices { counts[hour] += other.counts[hour] }
            devices.merge(other.devices)
        }
    }

    private struct Sessions: ReportShare {
        private var days: LocalDays
        /// By hour.
        private(set) var counts = [Int](repeating: 0, count: hours)

        init(_ scope: QueryScope) {
            days = LocalDays(scope.zone, from: scope.from, to: scope.to)
        }

        mutating func add(_ session: SessionScan.Found) {
            if let hour = days.hour(at: session.fold.start) { counts[hour.ofWeek] += 1 }
        }

        mutating func merge(_ other: Sessions) {
            for hour in counts.indices { counts[hour] += other.counts[hour] }
        }
    }

    static func run(
        _ scope: QueryScope, _ reading: Reading
    ) throws(StorageError) -> [HourSums] {
        let events = try events(scope, reading)
        let sessions = try SessionScan(scope, reading).collect(Sessions(scope), reading) {
            sessions, session in sessions.add(session)
        }
        try reading.check()
        var sums = [HourSums](repeating: HourSums(), count: hours)
        for hour in sums.indices {
            (sums[hour].events, sums[hour].sessions) = (events.counts[hour], sessions.counts[hour])
        }
        for device in events.devices.devices.indices {
            events.devices.forEachDay(of: device) { sums[$0].devices += 1 }
        }
        return sums
    }

    private static func events(
        _ scope: QueryScope, _ reading: Reading
    ) throws(StorageError) -> Events {
        let shared = try SharedDevices(of: scope.app.id, reading)
        let all = try ResourceSet(scope.filter, reading)
        let list = try reading.segmentList(
            of: scope.app.id, scope.zone.window(from: scope.from, to: scope.to))
        return try reading.inParallel { () throws(StorageError) in
            var events = Events(scope, shared, reading.account)
            var resources = all
            var scan = SegmentScan(list, .times)
            while try scan.next() {
                if try resources.contains(scan.part.resource) { events.add(&scan.part) }
            }
            return events
        }
    }
}
