import Database
import Storage

/// For how long videos were watched in full screen: from each enter that counts to the next sign of the
/// same device and video, where that is an exit. Within one millisecond enters come first, among themselves
/// by `batch_id` octets, so that only the last of them has an exit next.
struct FullscreenWatches: ReportShare {
    private struct Watch {
        let video: Int32
        /// Milliseconds.
        let duration: Int64
    }

    /// In no order.
    private var watches: [Watch] = []
    /// Enters of one millisecond of which some count, before an exit: which is the last only `batch_id`
    /// tells.
    private var unclear: [(enters: [FullscreenSign], duration: Int64)] = []
    private var held: HeldBytes

    /// None yet.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) { held = HeldBytes(account) }

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
                held.add(enters.count * MemoryLayout<FullscreenSign>.stride)
            } else if sign.counts {
                watches.append(Watch(video: sign.video, duration: duration), &held)
            }
        }
    }

    mutating func merge(_ other: FullscreenWatches) {
        let more = other.watches.count
        if watches.count + more > watches.capacity { watches.grow(more, &held) }
        watches += other.watches
        for (enters, duration) in other.unclear {
            unclear.append((enters, duration))
            held.add(enters.count * MemoryLayout<FullscreenSign>.stride)
        }
    }

    /// Has the ids of batches decide what is unclear. Throws what the database throws.
    mutating func clear(_ reading: Reading) throws(StorageError) {
        let ids = try BatchIDs(reading)
        for (enters, duration) in unclear {
            guard let last = try ids.last(of: enters, batch: \.batch), last.counts else { continue }
            watches.append(Watch(video: last.video, duration: duration), &held)
        }
        unclear = []
    }

    /// Durations of some videos, in milliseconds, in the order of these.
    /// - Parameters:
    ///   - some: their numbers
    ///   - videos: how many there are in all
    mutating func durations(of some: [Int], among videos: Int) -> [[Int64]] {
        var places = [Int32](repeating: -1, count: videos)
        for (place, video) in some.enumerated() {
            places[video] = Int32(truncatingIfNeeded: place)
        }
        // Each duration stands once more in a list of its video.
        held.add(places.allocatedBytes + watches.count * 16)
        var durations = [[Int64]](repeating: [], count: some.count)
        for watch in watches where places[Int(watch.video)] >= 0 {
            durations[Int(places[Int(watch.video)])].append(watch.duration)
        }
        return durations
    }
}

/// A device's `video.enter_fullscreen` or `video.exit_fullscreen` of one video.
struct FullscreenSign: DeviceKeyed {
    /// Row of the device.
    let device: Int64
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let time: Int64
    /// Row of its batch.
    let batch: Int64
    /// The video's number.
    private(set) var video: Int32
    /// An exit; else an enter.
    let isExit: Bool
    /// An enter that the question is about.
    let counts: Bool

    /// The same under another number of its video.
    func of(_ video: Int) -> FullscreenSign {
        var sign = self
        sign.video = Int32(truncatingIfNeeded: video)
        return sign
    }

    /// Of one device by video, then by time; within one millisecond enters come first.
    static func precedes(_ a: FullscreenSign, _ b: FullscreenSign) -> Bool {
        if a.video != b.video { return a.video < b.video }
        return a.time != b.time ? a.time < b.time : !a.isExit && b.isExit
    }

    /// Whether both, of one device, are enters of the same millisecond, or exits.
    func isMoment(of other: FullscreenSign) -> Bool {
        video == other.video && time == other.time && isExit == other.isExit
    }
}
