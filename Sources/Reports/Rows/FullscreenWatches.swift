import Storage

/// For how long videos were watched in full screen: from each enter that counts to the next sign of the
/// same device and video, where that is an exit. Within one millisecond enters come first, among themselves
/// by `batch_id` octets, so that only the last of them has an exit next.
struct FullscreenWatches: ReportShare {
    /// Milliseconds, by video.
    private(set) var durations: [[Int64]]
    /// Enters of one millisecond of which some count, before an exit: which is the last only `batch_id`
    /// tells.
    private var unclear: [(enters: [FullscreenSign], duration: Int64)] = []

    /// None of so many videos.
    init(of videos: Int) { durations = [[Int64]](repeating: [], count: videos) }

    /// Adds those of a device.
    /// - Parameter signs: all of the device, in order of `FullscreenSign.precedes`
    mutating func add(_ signs: ArraySlice<FullscreenSign>) {
        var first = signs.startIndex
        for place in signs.indices.dropLast() {
            let (sign, next) = (signs[place], signs[place + 1])
            if sign.isExit || !signs[first].isMoment(of: sign) { first = place }
            guard !sign.isExit, next.isExit, next.video == sign.video else { continue }
            let (enters, duration) = (signs[first...place], next.time - sign.time)
            if enters.contains(where: { $0.counts != sign.counts }) {
                unclear.append((Array(enters), duration))
            } else if sign.counts {
                durations[Int(sign.video)].append(duration)
            }
        }
    }

    mutating func merge(_ other: FullscreenWatches) {
        for video in durations.indices { durations[video] += other.durations[video] }
        unclear += other.unclear
    }

    /// Has the ids of batches decide what is unclear. Throws what the database throws.
    mutating func clear(_ reading: Reading) throws(StorageError) {
        let ids = try BatchIDs(reading)
        for (enters, duration) in unclear {
            guard let last = try ids.last(of: enters, batch: \.batch), last.counts else { continue }
            durations[Int(last.video)].append(duration)
        }
        unclear = []
    }
}
