import Storage

/// What all reports of one process share.
package struct ReportEnvironment: Sendable {
    /// What is known of the newest events, and of segments.
    let tails: SegmentTails
    /// How many devices the apps have.
    let devices = AppDevices()
    /// On how many threads at most a report computes.
    let threads: Int
    /// How fast they go.
    let pace: ReportPace

    /// One that knows nothing yet.
    package init(
        tails: SegmentTails = SegmentTails(), threads: Int = 2, pace: ReportPace = .full
    ) {
        self.tails = tails
        self.threads = threads
        self.pace = pace
    }
}
