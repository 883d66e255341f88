import Columns
import Database
import Dispatch
import Events
import Storage

/// The next events of a window that has more batches than one may have, and cannot be cut by time so that it has fewer:
/// all are of one millisecond, or begin before and end after it. Each page would read all of its batches again; so the
/// events are brought into the order of their lines once, and each page goes on behind the one before. Held between
/// pages: 8 bytes an event.
struct CrowdedWindow: Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let window: Range<Int64>
    /// Rows of the events that are not passed on yet, in the order of their lines.
    private(set) var events: ArraySlice<Int64> = []
    /// The last of these, where there are others after it.
    private(set) var last: ExportPosition?

    /// How many events it has at most.
    private static let capacity = 1 << 17
    /// How many batches are looked up between two checks whether the report has to end; it rests there where something is
    /// more urgent.
    private static let stride = 64

    private struct Found {
        let position: ExportPosition
        let event: Int64
    }

    /// Finds the first events after a position. Throws what the database throws, and if the report has to end.
    /// - Parameters:
    ///   - candidates: all batches that may have events in the window, each once
    ///   - app: whose batches they are
    ///   - after: nil: from the first one
    init(
        _ candidates: [BatchWindow.Candidate], of app: Int64, in window: Range<Int64>,
        after: ExportPosition?, _ reading: Reading
    ) throws(StorageError) {
        self.window = window
        let batch = try reading.prepare(
            """
            SELECT b.batch_id, b.received_at, d.hash FROM batch AS b CROSS JOIN device AS d
            WHERE b.id = ?1 AND b.app = ?2 AND d.id = b.device
            """)
        try batch.bind(2, app)
        let rows = try reading.prepare(
            "SELECT id, late FROM event WHERE id >= ?1 AND id <= ?2 AND late > ?3 AND late <= ?4")
        var held = HeldBytes(reading.account)
        var found: [Found] = []
        var begun = DispatchTime.now().uptimeNanoseconds
        for (number, candidate) in candidates.enumerated() {
            if number % Self.stride == 0 {
                try reading.check()
                held.set(found.allocatedBytes + found.count * Self.bytesOfID)
                reading.pause(after: DispatchTime.now().uptimeNanoseconds &- begun)
                begun = DispatchTime.now().uptimeNanoseconds
            }
            try batch.bind(1, candidate.row)
            defer { batch.reset() }
            guard try batch.step(), let device = batch.withBlob(2, { DeviceHash($0) }) else {
                continue
            }
            let (id, arrival) = (ByteText(bytes: batch.blob(0)), batch.int(1))
            let ids = EventID.all(ofBatch: candidate.row)
            try rows.bind(1, ids.lowerBound)
            try rows.bind(2, ids.upperBound)
            try rows.bind(3, arrival &- window.upperBound)
            try rows.bind(4, arrival &- window.lowerBound)
            defer { rows.reset() }
            while try rows.step() {
                let position = ExportPosition(
                    time: arrival &- rows.int(1), index: EventID(rawValue: rows.int(0)).index,
                    device: device, batchID: id)
                if let after, !Self.precedes(after, position) { continue }
                if let last, Self.precedes(last, position) { continue }
                found.append(Found(position: position, event: rows.int(0)))
            }
            if found.count >= 2 * Self.capacity { keepFirst(&found) }
        }
        keepFirst(&found)
        events = found.map(\.event)[...]
    }

    /// An array with an id of some 36 bytes.
    private static let bytesOfID = 72

    private mutating func keepFirst(_ found: inout [Found]) {
        found.sort { Self.precedes($0.position, $1.position) }
        guard found.count > Self.capacity else { return }
        found.removeLast(found.count - Self.capacity)
        last = found.last?.position
    }

    private static func precedes(_ one: ExportPosition, _ other: ExportPosition) -> Bool {
        if one.time != other.time { return one.time < other.time }
        return one.precedes(other.index, other.batchID, other.device)
    }

    /// So many of the events are passed on.
    mutating func drop(_ count: Int) { events = events.dropFirst(count) }
}
