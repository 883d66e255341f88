import Storage

/// A device's `video.enter_fullscreen` or `video.exit_fullscreen` of one video.
struct FullscreenSign {
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

    /// Sorts signs and calls `body` with the video and the duration in milliseconds of each enter
    /// that counts and whose next sign, of the same device and video, is an exit. Within one
    /// millisecond enters come first, among themselves by `batch_id` octets. Throws what the
    /// database throws.
    static func forEachPair(
        _ signs: inout [FullscreenSign], _ reading: Reading,
        _ body: (_ video: Int, _ duration: Int64) -> Void
    ) throws(StorageError) {
        RowOrder.sort(&signs, by: \.device) { a, b in
            if a.video != b.video { return a.video < b.video }
            return a.time != b.time ? a.time < b.time : !a.isExit && b.isExit
        }
        try reading.check()
        let ids = try BatchIDs(reading)
        // The first of the enters of one millisecond: only the last of them has an exit next.
        var first = 0
        for place in signs.indices.dropLast() {
            let (sign, next) = (signs[place], signs[place + 1])
            if sign.isExit || !signs[first].isMoment(of: sign) { first = place }
            guard !sign.isExit, next.isExit, next.video == sign.video, next.device == sign.device
            else { continue }
            if try last(of: signs[first...place], ids).counts {
                body(Int(sign.video), next.time - sign.time)
            }
        }
    }

    private func isMoment(of other: FullscreenSign) -> Bool {
        video == other.video && device == other.device && time == other.time
            && isExit == other.isExit
    }

    /// The last of some enters of one millisecond. Those of one batch are alike.
    private static func last(
        of enters: ArraySlice<FullscreenSign>, _ ids: borrowing BatchIDs
    ) throws(StorageError) -> FullscreenSign {
        var last = enters[enters.startIndex]
        guard enters.contains(where: { $0.counts != last.counts }) else { return last }
        var lastID: [UInt8] = []
        for enter in enters {
            let id = try ids.id(of: enter.batch)
            if lastID.lexicographicallyPrecedes(id) { (last, lastID) = (enter, id) }
        }
        return last
    }
}
