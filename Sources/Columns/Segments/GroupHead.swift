import Events

extension SegmentReader {
    /// When a part's events happened, and how many they are.
    struct PartSpan {
        /// Milliseconds since 1970-01-01T00:00:00Z.
        let first, last: Int64
        let count: Int

        /// Nil where no segment is written so: no batch has more events, and all are of the one day.
        /// - Parameters:
        ///   - first: milliseconds since the begin of the day
        ///   - length: milliseconds from the first event to the last
        @inline(__always)
        init?(_ dayStart: Int64, _ first: Int64, _ length: Int64, _ count: Int64) {
            guard count >= 1, count <= EventID.maxIndex + 1, first >= 0, length >= 0,
                first < Segment.dayLength, length < Segment.dayLength &- first
            else { return nil }
            self.first = dayStart &+ first
            last = self.first &+ length
            self.count = Int(truncatingIfNeeded: count)
        }

        /// Whether some of the time between its first and its last event lies in a stretch.
        @inline(__always)
        func touches(_ stretch: Range<Int64>) -> Bool {
            first < stretch.upperBound && last >= stretch.lowerBound
        }
    }

    /// What the column of sessions says of a group.
    struct GroupHead {
        /// How many events it has.
        let count: Int
        /// Times of its first and its last event, milliseconds since 1970-01-01T00:00:00Z.
        let first, last: Int64
        /// As in `Group`.
        let silence, lead: Int64
        private let flags: UInt64

        @inline(__always)
        var hasSession: Bool { flags & Flag.hasSession != 0 }
        @inline(__always)
        var hasStart: Bool { flags & Flag.hasStart != 0 }
        @inline(__always)
        var isInBackground: Bool { flags & Flag.isInBackground != 0 }
        @inline(__always)
        var hasTransition: Bool {
            flags & (Flag.hasStart | Flag.isInBackground | Flag.hasSpans) != 0
        }

        /// Reads the next group of a part; nil where none is written so.
        /// - Parameters:
        ///   - start: how many of the part's events are those of groups before
        ///   - isOnly: whether the part has no other group
        ///   - isFirstForm: whether the column is of the first form
        @inline(__always)
        init?(
            in column: inout PackedReader, _ part: PartSpan, after start: Int, isOnly: Bool,
            isFirstForm: Bool
        ) {
            flags = column.number()
            if isOnly {
                (count, first, last) = (part.count, part.first, part.last)
            } else {
                let length = flags &>> Flag.bits
                let offset = column.number()
                let span = column.number()
                let whole = UInt64(bitPattern: part.last &- part.first)
                guard length >= 1, length <= UInt64(part.count &- start), offset <= whole,
                    span <= whole &- offset
                else { return nil }
                count = Int(length)
                first = part.first &+ Int64(offset)
                last = first &+ Int64(span)
            }
            guard flags & Flag.hasSpans != 0 else {
                (silence, lead) = (0, 0)
                return
            }
            let span = UInt64(bitPattern: last &- first)
            let silence = column.number()
            let lead = isFirstForm ? 0 : column.number()
            guard silence <= span, lead <= span &- silence else { return nil }
            (self.silence, self.lead) = (Int64(silence), Int64(lead))
        }
    }

    /// No gap of a part whose gaps take so many bits is longer; milliseconds.
    @inline(__always)
    static func longestGap(_ width: Int64) -> Int64 {
        (0..<63).contains(width) ? 1 << width - 1 : .max
    }
}
