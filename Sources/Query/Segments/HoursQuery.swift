import Columns
import Database
import Storage
import TimeZones

/// What happened in each hour of the week. Its state is counts, and the set of pairs of device and hour, so
/// neither order nor grouping can matter.
enum HoursQuery {
    private static let hours = 7 * 24

    private struct Events: ReportShare {
        private let shared: SharedDevices
        private let range: ClosedRange<Int>
        private var days: LocalDays
        /// By hour.
        private(set) var counts = [Int](repeating: 0, count: hours)
        private var devices: ShardedDevices<DeviceHours>.Writer

        init(
            _ scope: QueryScope, _ shared: SharedDevices,
            _ devices: ShardedDevices<DeviceHours>.Writer
        ) {
            self.shared = shared
            range = scope.from.number...scope.to.number
            days = LocalDays(scope.zone, from: scope.from, to: scope.to)
            self.devices = devices
        }

        /// Hands on the devices that it still holds.
        mutating func finish() { devices.finish() }

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
            if !shared.contains(device) {
                devices.add(DeviceHour(device: device, hour: Int32(hour.ofWeek)))
            }
        }

        mutating func merge(_ other: Events) {
            for hour in counts.indices { counts[hour] += other.counts[hour] }
        }
    }

    /// An hour in which a device sent an event.
    private struct DeviceHour: DeviceKeyed {
        let device: Int64
        /// Of the week.
        let hour: Int32
    }

    /// The hours of some devices.
    private struct DeviceHours: DeviceShard {
        /// With a column for each hour, where other reports have days.
        var hours: DayMatrix

        mutating func add(_ item: DeviceHour, row: Int64) { hours.insert(row, Int(item.hour)) }

        @inline(__always)
        func entry(of row: Int64) -> Int { hours.entry(of: row) }

        @inline(__always)
        func look(at item: DeviceHour, _ number: Int) -> Int64 {
            hours.look(number, Int(item.hour))
        }
    }

    /// How many devices there are of each hour.
    private struct DeviceCounts: ReportShare {
        private(set) var counts = [Int](repeating: 0, count: hours)

        mutating func add(_ shard: DeviceHours) {
            for device in 0..<shard.hours.count {
                shard.hours.forEachDay(of: device) { counts[$0] += 1 }
            }
        }

        mutating func merge(_ other: DeviceCounts) {
            for hour in counts.indices { counts[hour] += other.counts[hour] }
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
        // Sessions come when the set of devices and hours is gone: each may take what a report may hold.
        var sums = try events(scope, reading)
        let sessions = try SessionScan(scope, reading).collect(Sessions(scope), reading) {
            sessions, session in sessions.add(session)
        }
        try reading.check()
        for hour in sums.indices { sums[hour].sessions = sessions.counts[hour] }
        return sums
    }

    /// Events and devices of each hour.
    private static func events(
        _ scope: QueryScope, _ reading: Reading
    ) throws(StorageError) -> [HourSums] {
        let shared = try SharedDevices(of: scope.app.id, reading)
        let all = try ResourceSet(scope.filter, reading)
        let list = try reading.segmentList(
            of: scope.app.id, scope.zone.window(from: scope.from, to: scope.to))
        let devices = ShardedDevices(DeviceHours(hours: DayMatrix(days: hours, reading.account)))
        let events = try reading.inParallel { () throws(StorageError) in
            var events = Events(scope, shared, devices.writer(reading.account))
            var resources = all
            var scan = SegmentScan(list, .times)
            while try scan.next() {
                if try resources.contains(scan.part.resource) { events.add(&scan.part) }
            }
            events.finish()
            return events
        }
        var sums = [HourSums](repeating: HourSums(), count: hours)
        let counts = try devices.collect(DeviceCounts(), reading) { counts, shard in
            counts.add(shard)
        }
        for hour in sums.indices {
            (sums[hour].events, sums[hour].devices) = (events.counts[hour], counts.counts[hour])
        }
        return sums
    }
}
