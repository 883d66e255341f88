import Database
import Storage
import TimeZones

/// How devices and sessions spread over the values of one member of the batches' resources. The
/// state is, for each device, its latest event.
enum VersionsQuery {
    /// The sums of one value.
    private struct Value {
        var devices = 0
        var sessions = 0
        var new = 0
    }

    /// The time of a device's latest event, and its value.
    private struct Latest {
        var time: Int64
        var value: Int
    }

    private struct Devices: LatestShare {
        var values: ResourceValues
        private let shared: SharedDevices
        var codes: RowCodes
        var latest: [Latest] = []
        private var held: HeldBytes

        init(_ values: ResourceValues, _ shared: SharedDevices, _ account: ReportAccount) {
            self.values = values
            self.shared = shared
            codes = RowCodes(account)
            held = HeldBytes(account)
        }

        mutating func add(
            latest time: Int64, of device: Int64, _ resource: Int64
        ) throws(StorageError) {
            guard let value = try values.value(of: resource), !shared.contains(device)
            else { return }
            add(device, Latest(time: time, value: value))
        }

        @inline(__always)
        private mutating func add(_ device: Int64, _ one: Latest) {
            let code = codes.code(of: device)
            if code == latest.count {
                latest.append(one, &held)
            } else if latest[code].time < one.time
                || latest[code].time == one.time && latest[code].value != one.value
                    && values.codes.precedes(latest[code].value, one.value)
            {
                // At equal times the value wins that is greater by bytes.
                latest[code] = one
            }
        }

        mutating func merge(_ other: Devices) throws(StorageError) {
            let numbers = try values.merge(other.values)
            for (device, one) in zip(other.codes.rows, other.latest) {
                add(device, Latest(time: one.time, value: numbers[one.value]))
            }
        }
    }

    /// How many sessions each value has.
    private struct Sessions: ReportShare {
        var values: ResourceValues
        var counts = SessionCounts()

        mutating func merge(_ other: Sessions) throws(StorageError) {
            try counts.merge(other.counts, kinds: values.merge(other.values))
        }
    }

    static func run(
        _ scope: QueryScope, by dimension: String, limit: Int, _ reading: Reading
    ) throws(StorageError) -> Versions {
        let none = ResourceValues(dimension, try ResourceTexts(reading), reading.account)
        let shared = try SharedDevices(of: scope.app.id, reading)
        let scan = try HeadScan(scope, from: scope.from, to: scope.to, reading)
        var devices = try scan.collect(Devices(none, shared, reading.account), reading)
        let sessions = try SessionScan(scope, reading)
            .collect(Sessions(values: none), reading) {
                (sessions, session) throws(StorageError) in
                if let value = try sessions.values.value(of: session.resource) {
                    sessions.counts.add(1, value)
                }
            }
        try reading.check()
        // A value may have sessions and no device.
        let numbers = try devices.values.merge(sessions.values)
        let codes = devices.values.codes
        var values = [Value](repeating: Value(), count: codes.count)
        var room = HeldBytes(reading.account, values.allocatedBytes)
        for last in devices.latest { values[last.value].devices += 1 }
        for (value, number) in numbers.enumerated() {
            values[number].sessions = sessions.counts.of(value)
        }
        for device in try Newcomers(scope, filter: .everything, reading).codes.rows {
            if let code = devices.codes.known(device) {
                values[devices.latest[code].value].new += 1
            }
        }

        var ranking = Ranking(limit)
        try ranking.add(
            values.indices, where: { values[$0].devices + values[$0].sessions > 0 }, reading
        ) { a, b in
            values[a].devices != values[b].devices
                ? values[a].devices > values[b].devices : codes.precedes(a, b)
        }
        let ranked = ranking.ranked.map { value in
            Versions.Value(
                name: codes[value], devices: values[value].devices,
                sessions: values[value].sessions, new: values[value].new)
        }
        room.set(0)
        // Each device has one value: summed over all rows that is all devices.
        return Versions(values: ranked, devices: devices.latest.count)
    }
}
