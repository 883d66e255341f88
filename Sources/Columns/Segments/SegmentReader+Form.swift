/// The form of a segment's columns (docs/design.md, Segments).
extension SegmentReader {
    /// Columns that are read besides the heads of parts.
    package struct Columns: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Which events are one session's, and what they are to it.
        package static let sessions = Columns(rawValue: 1)
        /// Gaps between events of a session.
        package static let gaps = Columns(rawValue: 2)
        /// The times of events, and their sessions.
        package static let times: Columns = [.sessions, .gaps]
        /// The names of events.
        package static let names = Columns(rawValue: 4)
        /// Subjects and amounts; needs the names.
        package static let subjects = Columns(rawValue: 8)
        package static let all: Columns = [.times, .names, .subjects]
    }

    /// Columns of a segment, `PackedReader.padded`, to be read more than once.
    package struct Packed: Sendable {
        let day: Int64
        let parts: [UInt8]
        package var columns: [(column: Columns, bytes: [UInt8])] = []

        /// Bytes that they take.
        package var bytes: Int { columns.reduce(parts.count) { $0 + $1.bytes.count } }

        /// How many parts the segment says it has.
        package var partCount: Int {
            var heads = PackedReader()
            heads.load(parts)
            return heads.count()
        }

        package init(day: Int64, parts: [UInt8]) {
            self.day = day
            self.parts = parts
        }

        /// Some columns of a segment.
        package init(_ segment: borrowing Segment, _ columns: Columns) {
            self.init(day: segment.day, parts: PackedReader.padded(segment.parts))
            let all: [(Columns, [UInt8])] = [
                (.sessions, segment.sessions), (.gaps, segment.times), (.names, segment.names),
                (.subjects, segment.subjects),
            ]
            for (column, bytes) in all where columns.contains(column) {
                self.columns.append((column, PackedReader.padded(bytes)))
            }
        }
    }

    /// Events of a part that stand together, in order of time, since they are one session's; or since
    /// they are no session's.
    package struct Group {
        /// The indices of its events in `times`.
        package let range: Range<Int>
        /// The session's `SessionKey`; nil where they have none.
        package let session: UInt64?
        /// Times of its first and its last event, milliseconds since 1970-01-01T00:00:00Z.
        package let first: Int64
        package let last: Int64
        /// One of its events begins a session.
        package let hasStart: Bool
        /// What its events are to the session; in the first form only `isInBackground`, that the last one is a
        /// `session.end`, and of `silence` whether there is an end before it.
        package let hasTransition, isInBackground: Bool
        package let silence, lead: Int64
    }

    /// An event of a part, found by its name.
    package struct Found {
        /// Its index in `times`.
        package let index: Int32
        /// The index of its name in `nameRows`.
        package let name: Int32
        /// How many events with a subject come before it.
        let subject: Int32
        /// How many counters come before it; −1 of what is none.
        let counter: Int32

        /// A placeholder before the first.
        package static let none = Found(index: 0, name: 0, subject: 0, counter: -1)
    }

    /// What a name is to `find`, a bit each.
    enum Mark {
        static let hasSubject: UInt8 = 1
        static let isCounter: UInt8 = 2
        static let isWanted: UInt8 = 4
    }

    /// Numbers of a part's head.
    enum Head: Int, CaseIterable {
        case batch, device, resource, arrival
        /// The first and the last event's time: since the begin of the day, and since the first.
        case first, length
        /// Events, groups, bits of a gap, events with a subject, bytes of amounts.
        case count, groups, gapWidth, subjects, amounts
    }

    /// What is known of a group, a bit each; above them its length, where it is not the only one.
    enum Flag {
        static let hasSession: UInt64 = 1
        static let hasStart: UInt64 = 2
        /// The app is in the background after its last event. In the first form: that is a `session.end`.
        static let isInBackground: UInt64 = 4
        /// There follow silence and lead (`GroupSummary`). In the first form: silence, each up to the next event.
        static let hasSpans: UInt64 = 8
        static let bits: UInt64 = 4
    }

    /// With this number the column of sessions begins. In the first form, which did not know that the app stays in the
    /// background until it is resumed, there is a count of sessions in its place.
    package static let currentForm = UInt64.max
}
