/// An event that may be stored. Its texts are indexes into the lists of its batch.
package struct AcceptedEvent: Hashable, Sendable {
    /// Its index in `events` as sent, from 0; it and the batch are its identity.
    package var index: UInt16
    /// Index in `AcceptedBatch.names`.
    package var name: UInt32
    /// When it happened: milliseconds since 1970-01-01T00:00:00Z, corrected by the batch's shift.
    package var time: Int64
    /// Index in the batch's sessions; -1 if it has no `session.id`.
    package var session: Int32
    /// Where its attributes stand in `AcceptedBatch.text`; empty if it has none besides
    /// `session.id`.
    package var attributes: Range<UInt32>

    package init(
        index: UInt16, name: UInt32, time: Int64, session: Int32, attributes: Range<UInt32>
    ) {
        self.index = index
        self.name = name
        self.time = time
        self.session = session
        self.attributes = attributes
    }
}
