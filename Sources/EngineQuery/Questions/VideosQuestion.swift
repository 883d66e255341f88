import Engine
import Events
import Query

/// What is watched in full screen, and for how long (docs/reports.md, videos).
struct VideosQuestion {
    private let source: Source
    private let percents: [Int]
    private let limit: Int

    init(_ scope: QueryScope, percents: [Int], limit: Int) {
        source = Source(scope)
        (self.percents, self.limit) = (percents, limit)
    }

    private struct Video {
        var enters, devices, watches: Int
        var duration: Int128
        var ranks: [Int64]
    }

    /// Enters that the question is about: `c`, `device` and `w`, the milliseconds until the exit; −1 without
    /// one.
    ///
    /// Each sign is one number: its time, whether it is an exit, and whether the question is about it. Where
    /// the filters tell enters of one millisecond apart, the order of their batches has to decide which is the
    /// last: it stands between.
    private var enters: String {
        let (enter, exit) = (
            ByteText(StandardEvent.videoEnterFullscreen.name),
            ByteText(StandardEvent.videoExitFullscreen.name)
        )
        let sign = "bitOr(bitShiftLeft(e_time, 1), toInt64(e_name = \(SQL.quoted(exit))))"
        let isInRange = "toUInt8(\(source.within("e_time")))"
        let isFiltered = source.filter != nil
        let key =
            isFiltered
            ? "(\(sign), batch_id, toUInt8(is_match AND \(isInRange)))"
            : "bitOr(bitShiftLeft(\(sign), 1), toInt64(\(isInRange)))"
        let batch =
            isFiltered ? ["device", "batch_id", source.isMatch] : ["device"]
        // An exit may lie after the range, but nothing before the range matters.
        let start = source.window.lowerBound
        let signs = source.events(
            "e_subject AS c, device, \(key) AS k", [.time, .name, .subject], batch: batch,
            rows: nil,
            window: start..<Int64.max,
            named: [enter, exit], where: "e_subject != '' AND e_time >= \(start)")
        let keys =
            isFiltered
            ? "arrayMap(s -> bitOr(bitShiftLeft(s.1, 1), toInt64(s.3)), arraySort(groupArray(k)))"
            : "arraySort(groupArray(k))"
        return """
            SELECT c, device, if(bitAnd(y, 2) = 2, bitShiftRight(y, 2) - bitShiftRight(x, 2), \
            toInt64(-1)) AS w FROM (SELECT c, device, \(keys) AS xs, \
            arrayPushBack(arrayPopFront(xs), toInt64(0)) AS ys FROM (\(signs)) GROUP BY c, device) \
            ARRAY JOIN xs AS x, ys AS y WHERE bitAnd(x, 3) = 1
            """
    }

    func ask(_ asking: inout Asking) throws(QueryError) -> [VideoSums] {
        let ranks =
            asking.isOneShard
            ? Percentiles.sql(percents, of: "w", where: "w >= 0") : "emptyArrayInt64()"
        let rows: [(name: ByteText, video: Video)] = try asking.ranked(
            limit: limit, name: \.name, total: { Int64($0.video.enters) },
            { selection in
                """
                SELECT c AS n, toInt64(count()) AS total, uniqExactIf(device, NOT sh), \
                countIf(w >= 0), sumIf(w, w >= 0), \(ranks) FROM \
                (SELECT c, device, w, \(source.isShared) FROM (\(enters))) \
                GROUP BY n\(selection.sql())
                """
            }
        ) { (row) throws(RowFailure) in
            (
                name: try row.text(),
                video: Video(
                    enters: try row.count(), devices: try row.count(), watches: try row.count(),
                    duration: Int128(try row.int64()), ranks: try row.integers())
            )
        }
        var videos: [ByteText: Video] = [:]
        for (name, video) in rows {
            guard var known = videos[name] else {
                videos[name] = video
                continue
            }
            known.enters +|= video.enters
            known.devices +|= video.devices
            known.watches +|= video.watches
            known.duration += video.duration
            videos[name] = known
        }
        let ranked = videos.sorted { a, b in
            a.value.enters != b.value.enters ? a.value.enters > b.value.enters : a.key < b.key
        }.prefix(max(0, limit))
        if !asking.isOneShard {
            let watched = ranked.filter { $0.value.watches > 0 }.map(\.key.bytes)
            let search = RankSearches(
                values: "SELECT c AS g, w AS v FROM (\(enters)) WHERE w >= 0", percents: percents)
            for (name, ranks) in try search.findIntegers(in: watched, &asking) {
                videos[ByteText(bytes: name)]?.ranks = ranks
            }
        }
        return ranked.map { name, video in
            let ranks = videos[name]?.ranks ?? []
            return VideoSums(
                video: name, enters: video.enters, devices: video.devices,
                duration: video.duration,
                ranks: video.watches > 0 && ranks.count == percents.count
                    ? ranks : percents.map { _ in nil })
        }
    }
}
