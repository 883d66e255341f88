import Events

/// What the column of sessions keeps of events that are one session's, within one part (docs/reports.md, Sessions):
/// made from them one after another, in order.
package struct GroupSummary: Hashable {
    /// Time of the first event; milliseconds since 1970-01-01T00:00:00Z.
    private var first: Int64?
    private var last: Int64 = 0
    /// One of its events begins a session.
    package private(set) var hasStart = false
    /// One of its events is a transition: a `session.start`, `session.end` or `session.resume`.
    package private(set) var hasTransition = false
    /// The app is in the background after its last event, whatever came before the first one.
    package private(set) var isInBackground = false
    /// How much of the time between its first and its last event it is in the background, if it was in the
    /// foreground before; milliseconds.
    package private(set) var silence: Int64 = 0
    /// From its first event to its first transition, milliseconds; 0 without one.
    package private(set) var lead: Int64 = 0

    /// Of no events.
    package init() {}

    /// Adds the next event. `time` is not before that of the one before.
    package mutating func add(time: Int64, kind: SessionEventKind) {
        let first = first ?? time
        if self.first == nil {
            self.first = time
        } else if isInBackground {
            silence &+= time &- last
        }
        last = time
        if kind == .start { hasStart = true }
        guard let setsForeground = kind.setsForeground else { return }
        if !hasTransition { lead = time &- first }
        hasTransition = true
        isInBackground = !setsForeground
    }

    /// Its bits of `SegmentReader.Flag`.
    var flags: UInt64 {
        typealias Flag = SegmentReader.Flag
        var flags = Flag.hasSession
        if hasStart { flags |= Flag.hasStart }
        if isInBackground { flags |= Flag.isInBackground }
        // That there is a transition is told by these bits, else by spans, though they be zeros.
        let isUntold = hasTransition && flags == Flag.hasSession
        if silence > 0 || lead > 0 || isUntold { flags |= Flag.hasSpans }
        return flags
    }

    /// Appends its head to a part's groups.
    /// - Parameters:
    ///   - count: how many events it has
    ///   - start: time of the part's first event, milliseconds since 1970-01-01T00:00:00Z; nil where the part has no
    ///     other group, so that its extent is the part's
    func append(to groups: inout PackedWriter, count: Int, ofPartFrom start: Int64?) {
        let flags = flags
        Self.append(flags, count: count, from: first ?? 0, to: last, ofPartFrom: start, to: &groups)
        guard flags & SegmentReader.Flag.hasSpans != 0 else { return }
        groups.append(UInt64(bitPattern: silence))
        groups.append(UInt64(bitPattern: lead))
    }

    /// Appends the beginning of a head, which groups without a session have too.
    static func append(
        _ flags: UInt64, count: Int, from first: Int64, to last: Int64, ofPartFrom start: Int64?,
        to groups: inout PackedWriter
    ) {
        guard let start else { return groups.append(flags) }
        groups.append(flags | UInt64(count) << SegmentReader.Flag.bits)
        groups.append(UInt64(bitPattern: first &- start))
        groups.append(UInt64(bitPattern: last &- first))
    }
}
