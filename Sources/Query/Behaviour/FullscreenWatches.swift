import Database
import Storage

/// How long videos were watched in full screen: from each enter that counts to the next sign of the
/// same device and video, if that is an exit. Within one millisecond enters come first, ordered by
/// the bytes of `batch_id`, so that an exit can only follow the last of them.
struct FullscreenWatches: ReportShare {
    private struct Watch {
        let video: Int32
        /// Milliseconds.
        let duration: Int64
    }

    /// In no order.
    private var watches: [Watch] = []
    /// Enters of one millisecond before an exit, of which some count and some do not: `batch_id`
    /// decides which is the last.
    private var unclear: [(enters: [FullscreenSign], duration: Int64)] = []
    private var held: HeldBytes

    /// Without watches.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) { held = HeldBytes(account) }

    /// Adds the watches of a device.
    /// - Parameter signs: all its signs, in order of `FullscreenSign.precedes`
    mutating func add(_ signs: ArraySlice<FullscreenSign>) {
        var first = signs.startIndex
        for index in signs.indices.dropLast() {
            let (sign, next) = (signs[index], signs[index + 1])
            if sign.isExit || !signs[first].isMoment(of: sign) { first = index }
            guard !sign.isExit, next.isExit, next.video == sign.video else { continue }
            let (enters, duration) = (signs[first...index], next.time - sign.time)
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

    /// Reads the ids of batches to decide what is unclear. Throws what the database throws.
    mutating func clear(_ reading: Reading) throws(StorageError) {
        let ids = try BatchIDs(reading)
        for (enters, duration) in unclear {
            guard let last = try ids.last(of: enters, batch: \.batch), last.counts else { continue }
            watches.append(Watch(video: last.video, duration: duration), &held)
        }
        unclear = []
    }

    /// The durations of some videos, in milliseconds, in the order of `some`.
    /// - Parameters:
    ///   - some: the numbers of the videos
    ///   - videos: how many videos there are
    mutating func durations(of some: [Int], among videos: Int) -> [[Int64]] {
        var indices = [Int32](repeating: -1, count: videos)
        for (index, video) in some.enumerated() {
            indices[video] = Int32(truncatingIfNeeded: index)
        }
        // The lists by video hold each duration once more.
        held.add(indices.allocatedBytes + watches.count * 16)
        var durations = [[Int64]](repeating: [], count: some.count)
        for watch in watches where indices[Int(watch.video)] >= 0 {
            durations[Int(indices[Int(watch.video)])].append(watch.duration)
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
    /// Whether it is an exit; else it is an enter.
    let isExit: Bool
    /// Whether it is an enter in the scope of the question.
    let counts: Bool

    /// The same sign with another number of its video.
    func of(_ video: Int) -> FullscreenSign {
        var sign = self
        sign.video = Int32(truncatingIfNeeded: video)
        return sign
    }

    /// The order of one device's signs: by video, then by time; within one millisecond enters come
    /// first.
    static func precedes(_ a: FullscreenSign, _ b: FullscreenSign) -> Bool {
        if a.video != b.video { return a.video < b.video }
        return a.time != b.time ? a.time < b.time : !a.isExit && b.isExit
    }

    /// Whether both, of one device, are enters of one video in the same millisecond, or both exits.
    func isMoment(of other: FullscreenSign) -> Bool {
        video == other.video && time == other.time && isExit == other.isExit
    }
}
