import Events
import Storage

/// `videos`: what is watched in full screen, and how long. Its state is, for each device and video,
/// the set of its enters and exits: merging is union; what is paired with what is found at the end.
package enum VideosReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "videos",
        summary: "which videos are watched in full screen, by how many devices, and how long",
        parameters: Parameter.common + Parameter.filters + [.limit, .format],
        columns: [
            Column("video", .text),
            Column("enters", .integer, unit: "events", isDrawn: true),
            Column("devices", .integer, unit: "devices"),
            Column("fullscreen_total", .decimal, unit: "seconds"),
            Column("fullscreen_p50", .decimal, unit: "seconds"),
        ],
        keyColumns: ["video"], groupColumn: "devices", isNamedByDevices: true,
        answer: .rows { question, reading throws(StorageError) in
            try run(question, reading)
        })

    private static let key = ByteText(StandardAttribute.videoID.key)
    private static let names = [StandardEvent.videoEnterFullscreen, .videoExitFullscreen]
        .map { ByteText($0.name) }

    /// What is known of one video.
    private struct Video {
        var enters = 0
        var durations: [Int64] = []
        var total: Int128 = 0
    }

    private static func run(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        let shared = try SharedDevices(of: question.app.id, reading)
        // What ends an enter may lie behind the range, but nothing before it matters.
        let start = question.zone.window(from: question.from, to: question.to).lowerBound
        var scan = try EventScan(
            question, names: names, subjects: true,
            window: start..<EventScan.always.upperBound, reading)
        let enter = scan.names[0]
        var codes = TextCodes()
        var videos: [Video] = []
        var devices = DevicesByGroup()
        var signs: [FullscreenSign] = []
        while try scan.next() {
            guard let video = scan.subjectCode({ codes.code(ofScalar: $0) }) else { continue }
            if video == videos.count { videos.append(Video()) }
            let isEnter = scan.name == enter
            signs.append(
                FullscreenSign(
                    device: scan.device, time: scan.time, batch: scan.batch,
                    video: Int32(truncatingIfNeeded: video), isExit: !isEnter,
                    counts: isEnter && scan.counts))
            if isEnter, scan.counts {
                videos[video].enters += 1
                if !shared.contains(scan.device) { devices.insert(scan.device, into: video) }
            }
        }
        try FullscreenSign.forEachPair(&signs, reading) { video, duration in
            videos[video].durations.append(duration)
            videos[video].total += Int128(duration)
        }
        try reading.check()
        let counts = devices.counts(of: videos.count)
        let ranked = videos.indices.filter { videos[$0].enters > 0 }.sorted { a, b in
            videos[a].enters != videos[b].enters
                ? videos[a].enters > videos[b].enters : codes.precedes(a, b)
        }
        let rows = ranked.prefix(question.limit).map { place in
            let video = videos[place]
            return Report.Row([
                .text(codes[place]), .count(video.enters), .count(counts[place]),
                .seconds(video.total), .nearestRank(50, of: video.durations.sorted()),
            ])
        }
        var report = Report(question, rows: rows)
        report.suppressGroups(below: question.settings.minGroup, by: definition)
        return report
    }
}
