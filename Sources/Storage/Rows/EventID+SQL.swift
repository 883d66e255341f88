import Events

/// The same as SQL, of columns or parameters that hold an id or a batch's row.
extension EventID {
    /// The row of an id's batch.
    package static func batchSQL(_ id: String) -> String { "\(id) >> \(indexBits)" }

    /// The index of an id.
    package static func indexSQL(_ id: String) -> String { "\(id) & \(maxIndex)" }

    /// Whether an id is that of an event of a batch, or of several.
    /// - Parameters:
    ///   - batch: the row of the first batch
    ///   - last: of the last; nil: there is one
    package static func isSQL(_ id: String, ofBatch batch: String, to last: String? = nil) -> String
    {
        "\(id) >= \(batch) << \(indexBits) AND \(id) < (\(last ?? batch) + 1) << \(indexBits)"
    }
}
