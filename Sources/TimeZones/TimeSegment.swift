/// A stretch of time in which a zone's offset from UTC is one number.
public struct TimeSegment: Hashable, Sendable {
    /// First instant, milliseconds since 1970-01-01T00:00:00Z.
    public let start: Int64
    /// First instant behind it.
    public let end: Int64
    /// Local time − UTC, in milliseconds.
    public let offset: Int64

    /// A stretch from `start` up to and without `end`.
    package init(start: Int64, end: Int64, offset: Int64) {
        self.start = start
        self.end = end
        self.offset = offset
    }
}
