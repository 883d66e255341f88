import Query
import TimeZones

/// `platforms`: the engagement paradox, which system is installed most and which is used most.
package enum PlatformsReport: ComputedReport {
    /// Its entry in the catalogue.
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
        rowNames: .devices, shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let platforms = try queries.platforms(question.scope, limit: question.limit)
        let (allDevices, allTime) = (platforms.devices, platforms.duration)
        let rows = platforms.systems.map { one in
            let devices = Int128(one.devices)
            return Report.Row([
                .text(one.name), .count(one.devices), .ratio(devices, over: allDevices),
                .count(one.sessions), .seconds(one.duration), .ratio(one.duration, over: allTime),
                // (duration ÷ all durations) ÷ (devices ÷ all devices), rounded once.
                .ratio(one.duration * allDevices, over: allTime * devices),
                .ratio(one.unshared, over: one.devices),
            ])
        }
        return Report(question, rows: rows)
    }
}
