/// What an erasure removed, as the command shows it.
package struct ErasureSummary: Codable, Sendable, Equatable {
    package let app: String
    /// Its hash, in hex.
    package let device: String
    package let batches: Int64
    package let events: Int64
    /// Nothing of it is left in log or file; false while a reader holds the log up.
    package let isClean: Bool

    package var members: [(String, JSONValue)] {
        [
            ("app", .text(app)), ("device", .text(device)), ("batches", .integer(batches)),
            ("events", .integer(events)), ("clean", .bool(isClean)),
        ]
    }
}
