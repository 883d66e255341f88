import Database
import Storage
import TimeZones

/// How long devices stay. The state is the last active day of each device; two merge to the later
/// one.
enum LifetimeQuery {
    /// The last active days, by device.
    private struct LastDays: DayShare {
        let devices: Newcomers
        var days: [Int]

        @inline(__always)
        mutating func add(day: Int, of device: Int64, _ resource: Int64) {
            guard let code = devices.codes.known(device) else { return }
            days[code] = max(days[code], day)
        }

        mutating func merge(_ other: LastDays) {
            for index in days.indices { days[index] = max(days[index], other.days[index]) }
        }
    }

    static func run(
        _ scope: QueryScope, inactive: Int, _ reading: Reading
    ) throws(StorageError) -> [Lifetime] {
        let devices = try Newcomers(scope, reading)
        let scan = try HeadScan(
            scope, from: scope.from, to: scope.to, filter: .everything, reading)
        // Each thread has its own copy.
        let room = HeldBytes(
            reading.account, devices.firstDays.allocatedBytes * (reading.threads + 1))
        defer { withExtendedLifetime(room) {} }
        let none = LastDays(devices: devices, days: devices.firstDays)
        let lastDays = try scan.collect(none, reading).days
        var lives: [Lifetime] = []
        for (first, last) in zip(devices.firstDays, lastDays) {
            let length = last - first + 1
            while lives.count < length { lives.append(Lifetime()) }
            lives[length - 1].ended += 1
            if scope.to.number - last >= inactive { lives[length - 1].lost += 1 }
        }
        return lives
    }
}
