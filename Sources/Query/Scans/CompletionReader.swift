import Columns
import Database
import Storage

/// Reads the completions of whole segments, or of the share of them that no other reader of the list takes.
struct CompletionReader: ~Copyable {
    /// Of each completion of the current segment the row of its device.
    private(set) var devices: [Int64] = []
    /// Of each the number of its content in the segment.
    private(set) var subjects: [Int] = []

    private let name: Int64?
    private var scan: SegmentScan
    private var hits: [SegmentReader.Found] = []

    /// - Parameter name: row of the name of completions; nil where no event has had it yet
    init(_ list: SegmentList, _ name: Int64?) {
        self.name = name
        scan = SegmentScan(list, [.names, .subjects])
    }

    /// How many numbers of contents there may be.
    var subjectCount: Int { scan.part.subjects }

    /// The text of a content, a JSON scalar.
    func text(_ subject: Int) -> ArraySlice<UInt8> { scan.part.subject(subject) }

    /// Goes to the next segment and reads it. False after the last one. Throws what the database throws, and
    /// `damaged`.
    mutating func next() throws(StorageError) -> Bool {
        guard try scan.nextSegment() else { return false }
        devices.removeAll(keepingCapacity: true)
        subjects.removeAll(keepingCapacity: true)
        let name = name
        scan.part.look { $0 == name }
        while try scan.nextPart() {
            let count = scan.part.find(into: &hits)
            for hit in hits[..<count] {
                let subject = scan.part.subjectCode(hit)
                // Number 0 stands for none.
                if subject == 0 { continue }
                devices.append(scan.part.device)
                subjects.append(subject)
            }
        }
        return true
    }

    /// Has the completions of the current segment remembered, if it is one that is stored.
    func keep(in cache: KnownCompletions) {
        guard let segment = scan.identity else { return }
        var rows: [UInt32] = []
        rows.reserveCapacity(devices.count)
        for device in devices {
            guard let row = UInt32(exactly: device) else { return }
            rows.append(row)
        }
        let texts = (0..<subjectCount).map { text($0) }
        cache.keep(segment, devices: rows, subjects: subjects, texts: texts)
    }
}
