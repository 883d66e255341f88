extension CheckedTable {
    /// Whether the row on which a statement stands is what was written, as SQL: 1 or 0. A value that no
    /// program has written says nothing about programs or keys.
    var soundness: String { "checksum IS \(expression)" }
}
