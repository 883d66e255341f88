/// What most reports read of a part: who, and from when to when.
package struct PartHead {
    /// Row of its device and of its batch's resource.
    package let device: Int64
    package let resource: Int64
    /// Times of its earliest and its latest event, milliseconds since 1970-01-01T00:00:00Z.
    package let first: Int64
    package let last: Int64
}

/// The heads of all parts at once, where nobody asks for their events.
extension SegmentReader {
    /// Writes the heads of the segment's parts that touch a stretch of time over what is in `found`,
    /// whichever part is the current one. Where the segment is broken there are none.
    package mutating func readHeads(
        within window: Range<Int64>, into found: inout [PartHead]
    ) {
        found.removeAll(keepingCapacity: true)
        if isBroken || table.rows == 0 { return }
        let device = table.column(Head.device.rawValue)
        let resource = table.column(Head.resource.rawValue)
        let first = table.column(Head.first.rawValue)
        let length = table.column(Head.length.rawValue)
        found.reserveCapacity(table.rows)
        for row in 0..<table.rows {
            let bit = table.bit(ofRow: row)
            let offset = first.number(ofRowAt: bit, in: heads)
            let span = length.number(ofRowAt: bit, in: heads)
            // Whoever reads takes it for granted that all is of the one day.
            guard offset >= 0, span >= 0, offset < Segment.dayLength,
                span < Segment.dayLength &- offset
            else {
                isWrong = true
                found.removeAll(keepingCapacity: true)
                return
            }
            let begin = dayStart &+ offset
            let end = begin &+ span
            if begin >= window.upperBound || end < window.lowerBound { continue }
            found.append(
                PartHead(
                    device: device.number(ofRowAt: bit, in: heads),
                    resource: resource.number(ofRowAt: bit, in: heads), first: begin, last: end))
        }
    }
}
