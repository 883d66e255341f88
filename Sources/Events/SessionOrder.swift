/// Where an event stands in its session: by time, kind, `batch_id` bytes, index
/// (docs/reports.md, Sessions).
package struct SessionOrder: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, corrected.
    package var time: Int64
    package var kind: SessionEventKind
    package var batchID: String
    /// As sent.
    package var index: Int

    package init(time: Int64, kind: SessionEventKind, batchID: String, index: Int) {
        self.time = time
        self.kind = kind
        self.batchID = batchID
        self.index = index
    }

    package static func < (left: SessionOrder, right: SessionOrder) -> Bool {
        if left.time != right.time { return left.time < right.time }
        if left.kind != right.kind { return left.kind < right.kind }
        // `String` compares by canonical equivalence; the contract says bytes.
        if left.batchID != right.batchID {
            return left.batchID.utf8.lexicographicallyPrecedes(right.batchID.utf8)
        }
        return left.index < right.index
    }
}
