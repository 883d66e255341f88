import Storage

/// `platforms`: the engagement paradox, which system is installed most and which is used most. Its
/// state is, for each system, a set of devices and sums over sessions.
package enum PlatformsReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "platforms",
        summary: "which operating systems are installed, and how much each is used",
        parameters: Parameter.common + Parameter.filters + [.limit, .format],
        columns: [
            Column("os.name", .text, group: .key),
            Column("devices", .integer, unit: "devices", isDrawn: true, group: .count),
            Column("device_share", .decimal, unit: "ratio"),
            Column("sessions", .integer, unit: "sessions"),
            Column("duration", .decimal, unit: "seconds"),
            Column("usage_share", .decimal, unit: "ratio"),
            Column("engagement_index", .decimal, unit: "ratio"),
            Column("sessions_per_device", .decimal, unit: "ratio"),
        ],
        isNamedByDevices: true,
        answer: .rows { question, reading throws(StorageError) in
            try run(question, reading)
        })

    /// What is known of one system.
    private struct Platform: Sendable {
        let name: ByteText
        /// Some event of the range is of it.
        var hasEvents = false
        var devices = DeviceSet()
        var sessions = 0
        var unshared = 0
        var duration: Int128 = 0
    }

    /// Systems by the rows of resources.
    private struct Platforms: ReportShare {
        var all: [Platform] = []
        private var places: [Int64: Int] = [:]
        private var byName: [ByteText: Int] = [:]

        init(_ reading: Reading) throws(StorageError) {
            let statement = try reading.prepare("SELECT id, os_name FROM resource")
            while try statement.step() {
                let text = ByteText(bytes: statement.blob(1))
                let name = text.bytes.isEmpty ? .unknown : text
                if byName[name] == nil {
                    byName[name] = all.count
                    all.append(Platform(name: name))
                }
                places[statement.int(0)] = byName[name]
            }
        }

        func place(of resource: Int64) -> Int? { places[resource] }

        mutating func merge(_ other: Platforms) {
            for (place, platform) in other.all.enumerated() {
                if platform.hasEvents { all[place].hasEvents = true }
                all[place].devices.formUnion(platform.devices)
                all[place].sessions += platform.sessions
                all[place].unshared += platform.unshared
                all[place].duration += platform.duration
            }
        }
    }

    private static func run(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        let none = try Platforms(reading)
        let shared = try SharedDevices(of: question.app.id, reading)
        let days = try DayScan(question, from: question.from, to: question.to, reading)
        var platforms = try days.collect(none, reading) {
            (platforms, device, resource, _) in
            guard let place = platforms.place(of: resource) else { return }
            platforms.all[place].hasEvents = true
            if !shared.contains(device) {
                platforms.all[place].devices.insert(device)
            }
        }
        let sessions = try SessionScan(question, reading)
        let ofSessions = try sessions.collect(none, reading) { platforms, session in
            guard let place = platforms.place(of: session.resource) else { return }
            platforms.all[place].sessions += 1
            platforms.all[place].duration += Int128(session.fold.duration)
            if !session.isShared { platforms.all[place].unshared += 1 }
        }
        platforms.merge(ofSessions)
        try reading.check()
        return Report(question, rows: rows(platforms.all, limit: question.limit))
    }

    private static func rows(_ platforms: [Platform], limit: Int) -> [Report.Row] {
        var ranked: [(platform: Platform, devices: Int)] = []
        for platform in platforms where platform.hasEvents {
            ranked.append((platform, platform.devices.count))
        }
        ranked.sort {
            $0.devices != $1.devices
                ? $0.devices > $1.devices : $0.platform.name < $1.platform.name
        }
        // Shares are of all rows, before `limit` cuts.
        let allDevices = ranked.reduce(Int128(0)) { $0 + Int128($1.devices) }
        let allTime = ranked.reduce(Int128(0)) { $0 + $1.platform.duration }
        return ranked.prefix(limit).map { platform, devices in
            Report.Row([
                .text(platform.name), .count(devices), .ratio(Int128(devices), over: allDevices),
                .count(platform.sessions), .seconds(platform.duration),
                .ratio(platform.duration, over: allTime),
                // (duration ÷ all durations) ÷ (devices ÷ all devices), rounded once.
                .ratio(platform.duration * allDevices, over: allTime * Int128(devices)),
                .ratio(platform.unshared, over: devices),
            ])
        }
    }
}
