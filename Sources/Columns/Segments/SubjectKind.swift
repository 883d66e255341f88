import Events

/// What a segment keeps of an event's attributes: the one that reports count by.
enum SubjectKind: UInt64 {
    /// Nothing.
    case none
    /// The content or the video.
    case text
    /// The counter, and by how much it went up.
    case counter

    /// Of events of a name.
    init(_ event: StandardEvent?) {
        switch event {
        case .usageCounter: self = .counter
        case .contentView, .contentComplete, .videoEnterFullscreen, .videoExitFullscreen:
            self = .text
        default: self = .none
        }
    }
}
