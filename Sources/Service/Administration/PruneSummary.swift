/// What a prune did, as the command shows it.
package struct PruneSummary: Codable, Sendable, Equatable {
    /// The limit, milliseconds since 1970.
    package let before: Int64
    /// Events that were deleted.
    package let events: Int64
    /// Octets that the database is smaller.
    package let freedBytes: Int64
    /// Batches that kept their events, since they are not what was written.
    package let damaged: Int64

    package var members: [(String, JSONValue)] {
        [
            ("before", .integer(before)), ("events", .integer(events)),
            ("freed_bytes", .integer(freedBytes)),
        ] + (damaged == 0 ? [] : [("damaged", .integer(damaged))])
    }
}
