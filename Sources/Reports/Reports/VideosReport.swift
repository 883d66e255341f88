import Query
import TimeZones

/// `videos`: what is watched in full screen, and how long.
package enum VideosReport: ComputedReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "videos",
        summary: "which videos are watched in full screen, by how many devices, and how long",
        parameters: Parameter.common + Parameter.filters + [.limit, .format],
        columns: [
            Column("video", .text, group: .key),
            Column("enters", .integer, unit: "events", isDrawn: true),
            Column("devices", .integer, unit: "devices", group: .count),
            Column("fullscreen_total", .decimal, unit: "seconds"),
            Column("fullscreen_p50", .decimal, unit: "seconds"),
        ],
        rowNames: .devices, shape: .rows)

    package static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        let videos = try queries.videos(
            question.scope, percents: [50], limit: question.limit)
        let rows = videos.map { video in
            Report.Row(
                [
                    .text(video.video), .count(video.enters), .count(video.devices),
                    .seconds(video.duration),
                ] + video.ranks.map { $0.map { .seconds(Int128($0)) } ?? .null })
        }
        return Report(question, rows: rows)
    }
}
