import Storage

/// `versions`: how devices and sessions spread over the values of one thing that batches say of
/// themselves: which versions are still out there. Its state is, for each device, its latest event.
package enum VersionsReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "versions",
        summary: "which systems, models or versions of the app devices have, each counted once",
        parameters: Parameter.common + [
            Parameter(
                "dimension", "what devices are put together by",
                .choice(ResourceFilter.dimensions), isRequired: true)
        ] + Parameter.filters + [.limit, .format],
        columns: [
            Column("value", .text, group: .key),
            Column("devices", .integer, unit: "devices", isDrawn: true, group: .count),
            Column("share", .decimal, unit: "ratio"),
            Column("sessions", .integer, unit: "sessions"),
            Column("new", .integer, unit: "devices", group: .count),
        ],
        isNamedByDevices: true,
        answer: .rows { question, reading throws(StorageError) in
            try run(question, reading)
        })

    /// What is known of one value.
    private struct Value {
        var devices = 0
        var sessions = 0
        var new = 0
    }

    /// A device's latest event: when, and under which value.
    private struct Latest {
        var time: Int64
        var value: Int
    }

    private struct Devices: ReportShare {
        var codes = RowCodes()
        var latest: [Latest] = []

        mutating func add(_ device: Int64, _ one: Latest) {
            let code = codes.code(of: device)
            if code == latest.count {
                latest.append(one)
            } else if (latest[code].time, latest[code].value) < (one.time, one.value) {
                // Of equal times the value that is greater by octets; values are in their order.
                latest[code] = one
            }
        }

        mutating func merge(_ other: Devices) {
            for (device, one) in zip(other.codes.rows, other.latest) { add(device, one) }
        }
    }

    private static func run(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        let dimension = question.choice("dimension") ?? ResourceFilter.dimensions[0]
        let named = try ResourceValues(dimension, reading)
        let shared = try SharedDevices(of: question.app.id, reading)
        let scan = try LatestScan(question, reading)
        let devices = try scan.collect(Devices(), reading) { devices, device, resource, time in
            guard let value = named.value(of: resource), !shared.contains(device) else { return }
            devices.add(device, Latest(time: time, value: value))
        }
        let latest = devices.latest
        try reading.check()
        var values = [Value](repeating: Value(), count: named.texts.count)
        for last in latest { values[last.value].devices += 1 }
        for device in try Newcomers(question, filter: .everything, reading).codes.rows {
            if let code = devices.codes.known(device) { values[latest[code].value].new += 1 }
        }
        let sessions = try SessionScan(question, reading)
            .collect(SessionCounts(), reading) { counts, session in
                if let value = named.value(of: session.resource) { counts.add(1, value) }
            }
        for value in values.indices { values[value].sessions = sessions.of(value) }

        let rows = values.indices.filter { values[$0].devices + values[$0].sessions > 0 }
            .sorted { a, b in
                values[a].devices != values[b].devices
                    ? values[a].devices > values[b].devices : a < b
            }
            .prefix(question.limit).map { place in
                Report.Row([
                    .text(named.texts[place]), .count(values[place].devices),
                    // Each device has one value: their sum over all rows is all devices.
                    .ratio(values[place].devices, over: latest.count),
                    .count(values[place].sessions), .count(values[place].new),
                ])
            }
        return Report(question, rows: rows)
    }
}
