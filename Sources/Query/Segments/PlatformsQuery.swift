import Database
import Storage
import TimeZones

/// Which system is installed most and which is used most. The state has, for each system, a set of
/// devices and sums over sessions.
enum PlatformsQuery {
    /// Sums over the sessions of a system.
    private struct Usage {
        /// Whether an event of the range is of the system.
        var hasEvents = false
        var sessions = 0
        var unshared = 0
        var duration: Int128 = 0
    }

    /// Systems, with the numbers of their names.
    private struct Systems: DayShare {
        var names: ResourceValues
        private let shared: SharedDevices
        private(set) var usage: [Usage] = []
        private var devices: DevicesByGroup
        private var held: HeldBytes

        init(_ names: ResourceValues, _ shared: SharedDevices, _ account: ReportAccount) {
            self.names = names
            self.shared = shared
            devices = DevicesByGroup(account)
            held = HeldBytes(account)
        }

        mutating func add(
            day: Int, of device: Int64, _ resource: Int64
        ) throws(StorageError) {
            guard let name = try names.value(of: resource) else { return }
            grow(to: name)
            usage[name].hasEvents = true
            if !shared.contains(device) { devices.insert(device, into: name) }
        }

        /// Adds a session. Throws what the database throws.
        mutating func add(_ session: SessionScan.Found) throws(StorageError) {
            guard let name = try names.value(of: session.resource) else { return }
            grow(to: name)
            usage[name].sessions += 1
            usage[name].duration += Int128(session.fold.duration)
            if !session.isShared { usage[name].unshared += 1 }
        }

        mutating func merge(_ other: Systems) throws(StorageError) {
            let numbers = try names.merge(other.names)
            for (one, number) in zip(other.usage, numbers) {
                grow(to: number)
                if one.hasEvents { usage[number].hasEvents = true }
                usage[number].sessions += one.sessions
                usage[number].unshared += one.unshared
                usage[number].duration += one.duration
            }
            try devices.merge(other.devices, groups: numbers)
        }

        private mutating func grow(to name: Int) {
            while usage.count <= name { usage.append(Usage(), &held) }
        }

        mutating func deviceCounts() -> [Int] { devices.counts(of: usage.count) }
    }

    static func run(
        _ scope: QueryScope, limit: Int, _ reading: Reading
    ) throws(StorageError) -> Platforms {
        let names = ResourceValues("os.name", try ResourceTexts(reading), reading.account)
        let shared = try SharedDevices(of: scope.app.id, reading)
        let none = Systems(names, shared, reading.account)
        let days = try HeadScan(scope, from: scope.from, to: scope.to, reading)
        let heads = try SessionScan(scope, reading).collect(
            days.begin(none), reading,
            each: { (heads, scan) throws(StorageError) in try heads.add(&scan) }
        ) { (heads, session) throws(StorageError) in try heads.share.add(session) }
        var platforms = try days.finish(heads, reading)
        try reading.check()
        return try ranked(&platforms, limit, reading)
    }

    private static func ranked(
        _ platforms: inout Systems, _ limit: Int, _ reading: Reading
    ) throws(StorageError) -> Platforms {
        let (usage, devices) = (platforms.usage, platforms.deviceCounts())
        let names = platforms.names.codes
        var ranking = Ranking(limit)
        try ranking.add(usage.indices, where: { usage[$0].hasEvents }, reading) { a, b in
            devices[a] != devices[b] ? devices[a] > devices[b] : names.precedes(a, b)
        }
        // Shares refer to all rows, also to those that `limit` cuts.
        var (allDevices, allTime): (Int128, Int128) = (0, 0)
        for (one, devices) in zip(usage, devices) where one.hasEvents {
            allDevices += Int128(devices)
            allTime += one.duration
        }
        let systems = ranking.ranked.map { system in
            Platforms.System(
                name: names[system], devices: devices[system], sessions: usage[system].sessions,
                unshared: usage[system].unshared, duration: usage[system].duration)
        }
        return Platforms(systems: systems, devices: allDevices, duration: allTime)
    }
}
