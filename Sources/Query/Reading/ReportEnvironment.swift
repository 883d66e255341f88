import Storage

/// What all reports of one process share.
package struct ReportEnvironment: Sendable {
    /// The newest events of each app, packed as segments, and cached columns of segments.
    let tails: SegmentTails
    /// How many devices the apps have.
    let devices = AppDevices()
    /// The most threads on which a report computes.
    let threads: Int
    /// How fast reports go.
    let pace: ReportPace

    /// Without counts.
    package init(
        tails: SegmentTails = SegmentTails(), threads: Int = 2, pace: ReportPace = .full
    ) {
        self.tails = tails
        self.threads = threads
        self.pace = pace
    }
}
