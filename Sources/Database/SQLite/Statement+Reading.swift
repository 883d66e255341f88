import CSQLite

/// Values of the row on which `step` stopped. SQLite converts: 0 or empty where it is null.
extension Statement {
    /// A whole number.
    @inline(__always)
    package func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// Whether there is no value.
    @inline(__always)
    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// Nil where it is null.
    @inline(__always)
    package func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }

    /// A binary64 number.
    @inline(__always)
    package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// A copy of a text; octets that are no UTF-8 come as U+FFFD.
    package func text(_ column: Int32) -> String {
        withText(column) { span in
            span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The same, nil where it is null.
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// A copy of a blob.
    package func blob(_ column: Int32) -> [UInt8] {
        withBlob(column) { span in
            span.withUnsafeBufferPointer { Array($0) }
        }
    }

    /// A text's UTF-8 octets, not copied, for the time of `body`.
    package func withText<T, E: Error>(
        _ column: Int32, _ body: (Span<UInt8>) throws(E) -> T
    ) throws(E) -> T {
        // The text first: asking for it may convert, and the count is then the converted one's.
        let start = sqlite3_column_text(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return try body(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count).span)
    }

    /// A blob's octets, not copied, for the time of `body`.
    package func withBlob<T, E: Error>(
        _ column: Int32, _ body: (Span<UInt8>) throws(E) -> T
    ) throws(E) -> T {
        let start = sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
        let count = Int(sqlite3_column_bytes(handle, column))
        return try body(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count).span)
    }

    /// Columns of every row.
    package var columnCount: Int32 { sqlite3_column_count(handle) }
}
