/// What an erasure removed, as the command shows it.
package struct ErasureSummary: Codable, Sendable, Equatable {
    package let app: String
    /// Its hash, in hex.
    package let device: String
    package let batches: Int64
    package let events: Int64
    /// The write-ahead log holds nothing of it any more.
    package let isLogEmpty: Bool

    package var members: [(String, JSONValue)] {
        [
            ("app", .text(app)), ("device", .text(device)), ("batches", .integer(batches)),
            ("events", .integer(events)), ("log_emptied", .bool(isLogEmpty)),
        ]
    }
}
