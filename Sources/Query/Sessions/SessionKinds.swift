import Database
import Events
import Storage

/// The roles of events in their sessions, by the rows of their names.
struct SessionKinds: Sendable {
    private let start, end, resume: Int64

    /// Reads the rows. Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        start = try EventNames.row(of: .sessionStart, reading)
        end = try EventNames.row(of: .sessionEnd, reading)
        resume = try EventNames.row(of: .sessionResume, reading)
    }

    /// The role of events of the name in that row.
    func kind(of name: Int64) -> SessionEventKind {
        switch name {
        case start: .start
        case end: .end
        case resume: .resume
        default: .other
        }
    }
}

/// The same by the indices of names in one segment.
struct SegmentKinds {
    private let all: SessionKinds
    private var kinds: [SessionEventKind] = []
    private var segment: Int?
    private var rows: [Int64] = []

    /// Without a segment.
    init(_ all: SessionKinds) { self.all = all }

    /// Prepares for a part, perhaps of another segment.
    /// - Parameter names: the rows of the segment's names, by index
    mutating func follow(_ segment: Int, _ names: [Int64]) {
        // Numbers repeat: each scan counts its segments from 1.
        if self.segment == segment, rows == names { return }
        self.segment = segment
        rows = names
        kinds = rows.map { all.kind(of: $0) }
    }

    /// The role of events of the name with that index.
    @inline(__always)
    func kind(at index: Int32) -> SessionEventKind { kinds[Int(index)] }
}
