import Columns
import Database
import Events
import Storage

/// A batch whose events are exported: what they have in common, and the texts that they refer to by
/// number.
final class StoredBatch: Sendable {
    /// Row of its app.
    let app: Int64
    /// What its events have in common.
    let exported: ExportedBatch
    private let sessions: Elements
    /// Rows of the keys of its attributes. A batch may have thousands of them, an event needs only
    /// its own.
    private let keys: [Int64]

    /// A stored array and its elements.
    private struct Elements: Sendable {
        let text: [UInt8]
        let ranges: [Range<Int>]

        init?(_ text: [UInt8]) {
            if text.isEmpty {
                (self.text, ranges) = ([], [])
                return
            }
            guard let ranges = ArrayElements.ranges(in: text.span, .bracketed) else { return nil }
            (self.text, self.ranges) = (text, ranges)
        }

        subscript(number: Int64) -> ArraySlice<UInt8>? {
            guard let number = Int(exactly: number), ranges.indices.contains(number) else {
                return nil
            }
            return text[ranges[number]]
        }
    }

    /// Selects a batch; ?1 is its row.
    static let select = """
        SELECT d.hash, b.batch_id, b.received_at, b.sessions, b.attribute_keys, b.resource, b.app
        FROM batch AS b CROSS JOIN device AS d WHERE b.id = ?1 AND d.id = b.device
        """

    /// Reads the current row of a statement of `select`; nil where the row is damaged.
    /// - Parameters:
    ///   - keys: its parsed `attribute_keys`
    ///   - resource: the resource in its `resource`
    ///   - number: its number on the page
    init?(
        _ row: borrowing Statement, keys: [Int64], resource: ExportedResource, number: Int
    ) {
        guard let device = row.withBlob(0, { DeviceHash($0) }), let sessions = Elements(row.blob(3))
        else { return nil }
        app = row.int(6)
        exported = ExportedBatch(
            number: number, device: device, batchID: ByteText(bytes: row.blob(1)),
            receivedAt: row.int(2), resource: resource)
        self.sessions = sessions
        self.keys = keys
    }

    /// Bytes that it takes, about.
    var size: Int {
        exported.batchID.bytes.count + sessions.text.count + 16 * sessions.ranges.count
            + 8 * keys.count
    }

    /// A session's id as a JSON string, by its number.
    func session(_ number: Int64) -> ArraySlice<UInt8>? { sessions[number] }

    /// The row of an attribute's key, by its number.
    func key(_ number: Int) -> Int64? { keys.indices.contains(number) ? keys[number] : nil }
}
