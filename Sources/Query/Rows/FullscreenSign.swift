/// A device's `video.enter_fullscreen` or `video.exit_fullscreen` of one video.
struct FullscreenSign: OfDevice {
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
