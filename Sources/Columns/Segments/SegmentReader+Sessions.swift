/// What most reports of sessions read of a group that is a session's: its device and its first and last event.
package struct SessionHead {
    // Fields alone: other rooms inline no accessors.

    /// Row of its device and of its batch's resource.
    package let device: Int64
    package let resource: Int64
    /// Time of its first event, milliseconds since 1970-01-01T00:00:00Z.
    package let first: Int64
    /// From its first event to its last, and of that `GroupSummary.silence` and `.lead`; milliseconds within a day.
    package let length, silence, lead: Int32
    /// The index of its key in `SegmentReader.sessions`.
    package let session: Int32
    /// How many events it has.
    package let count: UInt16
    /// As in `GroupSummary`.
    package let hasStart, hasTransition, isInBackground: Bool
    /// This does not tell enough of its events: they have to be read (`SegmentReader.needsEvents`).
    package let needsEvents: Bool

    /// A placeholder before the first.
    static let none = SessionHead()

    private init() {
        (device, resource, first, length, silence, lead) = (0, 0, 0, 0, 0, 0)
        (session, count) = (0, 0)
        (hasStart, hasTransition, isInBackground, needsEvents) = (false, false, false, false)
    }

    @inline(__always)
    fileprivate init(
        device: Int64, resource: Int64, _ group: SegmentReader.GroupHead, session: Int,
        needsEvents: Bool
    ) {
        self.device = device
        self.resource = resource
        first = group.first
        length = Int32(truncatingIfNeeded: group.last &- group.first)
        silence = Int32(truncatingIfNeeded: group.silence)
        lead = Int32(truncatingIfNeeded: group.lead)
        self.session = Int32(truncatingIfNeeded: session)
        count = UInt16(truncatingIfNeeded: group.count)
        hasStart = group.hasStart
        hasTransition = group.hasTransition
        isInBackground = group.isInBackground
        self.needsEvents = needsEvents
    }
}

/// The sessions of all parts at once, where nobody asks for their events.
extension SegmentReader {
    /// Writes the sessions of the segment's parts that touch a stretch of time over what is in `found`, in
    /// order; only with the column `sessions`, and whichever part is the current one.
    /// - Parameters:
    ///   - excluded: parts that touch this stretch are left out
    ///   - gap: which gaps within a part are not long, milliseconds
    /// - Returns: how many they are, none where the segment is broken; what follows them is of others
    package mutating func readSessions(
        within window: Range<Int64>, except excluded: Range<Int64>?, gap: Int64,
        into found: inout [SessionHead]
    ) -> Int {
        if isBroken || table.rows == 0 { return 0 }
        if found.count < sessions.count {
            found += repeatElement(.none, count: sessions.count - found.count)
        }
        let count = fillSessions(within: window, except: excluded, gap: gap, &found)
        if count == nil { isWrong = true }
        return count ?? 0
    }

    /// - Returns: how many they are; nil where the segment is not what was written
    private func fillSessions(
        within window: Range<Int64>, except excluded: Range<Int64>?, gap: Int64,
        _ found: inout [SessionHead]
    ) -> Int? {
        let device = table.column(Head.device.rawValue)
        let resource = table.column(Head.resource.rawValue)
        let first = table.column(Head.first.rawValue)
        let length = table.column(Head.length.rawValue)
        let events = table.column(Head.count.rawValue)
        let groups = table.column(Head.groups.rawValue)
        let gapWidth = table.column(Head.gapWidth.rawValue)
        let isFirstForm = isFirstForm
        var column = groupsColumn
        var room = found.mutableSpan
        let all = sessions.count
        var (session, used) = (0, 0)
        for row in 0..<table.rows {
            let bit = table.bit(ofRow: row)
            let part = PartSpan(
                dayStart, first.number(ofRowAt: bit, in: heads),
                length.number(ofRowAt: bit, in: heads), events.number(ofRowAt: bit, in: heads))
            let number = groups.number(ofRowAt: bit, in: heads)
            guard let part, number >= 1, number <= part.count else { return nil }
            let isWanted = part.touches(window) && !(excluded.map(part.touches) ?? false)
            let needsEvents =
                isFirstForm || Self.longestGap(gapWidth.number(ofRowAt: bit, in: heads)) > gap
            let device = device.number(ofRowAt: bit, in: heads)
            let resource = resource.number(ofRowAt: bit, in: heads)
            var start = 0
            for _ in 0..<number {
                guard
                    let group = GroupHead(
                        in: &column, part, after: start, isOnly: number == 1,
                        isFirstForm: isFirstForm)
                else { return nil }
                start &+= group.count
                guard group.hasSession else { continue }
                guard session < all else { return nil }
                if isWanted {
                    room[used] = SessionHead(
                        device: device, resource: resource, group, session: session,
                        needsEvents: needsEvents)
                    used &+= 1
                }
                session &+= 1
            }
            guard start == part.count else { return nil }
        }
        return column.isBroken ? nil : used
    }
}
