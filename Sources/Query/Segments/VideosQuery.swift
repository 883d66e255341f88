import Database
import Events
import Storage
import TimeZones

/// What is watched in full screen, and how long. The state is, for each device and video, the set
/// of its enters and exits; it merges by union, and enters and exits are paired at the end.
enum VideosQuery {
    private static let key = ByteText(StandardAttribute.videoID.key)
    private static let names = [StandardEvent.videoEnterFullscreen, .videoExitFullscreen]
        .map { ByteText($0.name) }

    /// Videos are numbered from 0; so are the groups of devices.
    private struct Videos: ReportShare {
        var codes: TextCodes
        var enters: [Int] = []
        var devices: DevicesByGroup
        var signs: DeviceShards<FullscreenSign>
        private var held: HeldBytes

        init(_ account: ReportAccount) {
            codes = TextCodes(account)
            devices = DevicesByGroup(account)
            signs = DeviceShards(account)
            held = HeldBytes(account)
        }

        mutating func code(ofScalar json: Span<UInt8>) -> Int {
            let code = codes.code(ofScalar: json)
            if code == enters.count { enters.append(0, &held) }
            return code
        }

        mutating func merge(_ other: Videos) throws(StorageError) {
            let numbers = try codes.merge(other.codes)
            enters.append(repeating: 0, codes.count - enters.count, &held)
            for (count, number) in zip(other.enters, numbers) { enters[number] += count }
            try devices.merge(other.devices, groups: numbers)
            signs.merge(other.signs, holding: numbers.allocatedBytes) {
                $0.of(numbers[Int($0.video)])
            }
        }
    }

    static func run(
        _ scope: QueryScope, percents: [Int], limit: Int, _ reading: Reading
    ) throws(StorageError) -> [VideoSums] {
        let shared = try SharedDevices(of: scope.app.id, reading)
        // An exit may lie after the range, but nothing before the range matters.
        let start = scope.zone.window(from: scope.from, to: scope.to).lowerBound
        let list = try EventList(
            scope, names: names, times: true, subjects: true,
            window: start..<EventList.always.upperBound, reading)
        var videos = try reading.inParallel { () throws(StorageError) in
            var videos = Videos(reading.account)
            var scan = EventScan(list)
            let enter = list.names[0]
            while try scan.next() {
                guard let video = scan.subjectCode({ videos.code(ofScalar: $0) }) else { continue }
                let isEnter = scan.name == enter
                videos.signs.append(
                    FullscreenSign(
                        device: scan.device, time: scan.time, batch: scan.batch,
                        video: Int32(truncatingIfNeeded: video), isExit: !isEnter,
                        counts: isEnter && scan.counts))
                if isEnter, scan.counts {
                    videos.enters[video] += 1
                    if !shared.contains(scan.device) {
                        videos.devices.insert(scan.device, into: video)
                    }
                }
            }
            return videos
        }
        let (codes, enters) = (videos.codes, videos.enters)
        var watches = try videos.signs.collect(
            FullscreenWatches(reading.account), reading, by: FullscreenSign.precedes,
            { $0.add($1) })
        try watches.clear(reading)
        try reading.check()
        videos.devices.fill()
        var ranking = Ranking(limit)
        try ranking.add(enters.indices, where: { enters[$0] > 0 }, reading) { a, b in
            enters[a] != enters[b] ? enters[a] > enters[b] : codes.precedes(a, b)
        }
        let ranked = ranking.ranked
        let all = watches.durations(of: ranked, among: codes.count)
        try reading.check()
        return zip(ranked, all).map { video, durations in
            let ranks = NearestRanks(durations)
            return VideoSums(
                video: codes[video], enters: enters[video],
                devices: videos.devices.count(of: video),
                duration: durations.reduce(0) { $0 + Int128($1) },
                ranks: percents.map { ranks.value($0) })
        }
    }
}
