import CSQLite

/// A prepared statement: bind, step, read, reset. Finalized when it goes. Parameters count from 1,
/// columns from 0, as in SQLite. Prepared once and used again wherever it runs more than once.
package struct Statement: ~Copyable {
    package let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Goes to the next row. False at the end.
    @inline(__always)
    package func step() throws(StorageError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failure("read or write", code)
    }

    /// Runs to the end and resets, also when it fails.
    @inline(__always)
    package func run() throws(StorageError) {
        var code = sqlite3_step(handle)
        while code == SQLITE_ROW { code = sqlite3_step(handle) }
        guard code == SQLITE_DONE else {
            // Before the reset, which would return the same error again.
            let error = failure("write", code)
            sqlite3_reset(handle)
            throw error
        }
        sqlite3_reset(handle)
    }

    /// Back to before the first row, with its parameters as they are. A statement that is not reset
    /// holds its read transaction open.
    @inline(__always)
    package func reset() { sqlite3_reset(handle) }

    /// All parameters to null: where a bound text must not stay in memory or may dangle.
    package func clear() { sqlite3_clear_bindings(handle) }

    @inline(__always)
    package func check(_ code: Int32) throws(StorageError) {
        if code != SQLITE_OK { throw failure("bind a value for", code) }
    }

    private func failure(_ operation: StaticString, _ code: Int32) -> StorageError {
        Connection.failure(operation, code, on: sqlite3_db_handle(handle))
    }
}

extension Statement {
    /// A whole number.
    @inline(__always)
    package func bind(_ parameter: Int32, _ value: Int64) throws(StorageError) {
        try check(sqlite3_bind_int64(handle, parameter, value))
    }

    /// A whole number, or null.
    @inline(__always)
    package func bind(_ parameter: Int32, _ value: Int64?) throws(StorageError) {
        guard let value else { return try bindNull(parameter) }
        try bind(parameter, value)
    }

    /// A binary64 number; NaN becomes null.
    @inline(__always)
    package func bind(_ parameter: Int32, real value: Double) throws(StorageError) {
        try check(sqlite3_bind_double(handle, parameter, value))
    }

    /// 1 or 0.
    @inline(__always)
    package func bind(_ parameter: Int32, _ value: Bool) throws(StorageError) {
        try bind(parameter, value ? Int64(1) : 0)
    }

    /// No value.
    @inline(__always)
    package func bindNull(_ parameter: Int32) throws(StorageError) {
        try check(sqlite3_bind_null(handle, parameter))
    }

    /// A text by its bytes, of which NUL may be one. SQLite copies it.
    package func bind(_ parameter: Int32, _ text: String) throws(StorageError) {
        var text = text
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sojourn_sqlite_bind_text(handle, parameter, Self.start($0), UInt64($0.count), 1)
            }
        }
        try check(code)
    }

    /// A text, or null. SQLite copies it.
    package func bind(_ parameter: Int32, _ text: String?) throws(StorageError) {
        guard let text else { return try bindNull(parameter) }
        try bind(parameter, text)
    }

    /// UTF-8 bytes as a text, or null. SQLite copies them.
    package func bindText(_ parameter: Int32, _ bytes: [UInt8]?) throws(StorageError) {
        guard let bytes else { return try bindNull(parameter) }
        let code = bytes.withUnsafeBytes { bytes in
            sojourn_sqlite_bind_text(
                handle, parameter, Self.start(bytes.assumingMemoryBound(to: CChar.self)),
                UInt64(bytes.count), 1)
        }
        try check(code)
    }

    /// UTF-8 bytes as a text that is not copied: they must be there whenever the statement runs, until
    /// the parameter is bound anew or cleared. For rows by the thousand.
    @inline(__always)
    package func bindText(
        _ parameter: Int32, borrowing bytes: UnsafeRawBufferPointer
    ) throws(StorageError) {
        try check(
            sojourn_sqlite_bind_text(
                handle, parameter, Self.start(bytes.assumingMemoryBound(to: CChar.self)),
                UInt64(bytes.count), 0))
    }

    /// A blob, or null. SQLite copies it.
    package func bindBlob(_ parameter: Int32, _ bytes: [UInt8]?) throws(StorageError) {
        guard let bytes else { return try bindNull(parameter) }
        try bindBlob(parameter, bytes.span)
    }

    /// A blob. SQLite copies it.
    package func bindBlob(_ parameter: Int32, _ bytes: Span<UInt8>) throws(StorageError) {
        let code = bytes.withUnsafeBytes { bytes in
            // An empty buffer may have no address, and without one SQLite would bind null.
            sojourn_sqlite_bind_blob(
                handle, parameter, bytes.baseAddress ?? Self.somewhere, UInt64(bytes.count), 1)
        }
        try check(code)
    }

    /// SQLite takes a text without an address for null; an empty buffer may have none.
    @inline(__always)
    private static func start(_ text: UnsafeBufferPointer<CChar>) -> UnsafePointer<CChar> {
        text.baseAddress ?? somewhere.assumingMemoryBound(to: CChar.self)
    }

    private nonisolated(unsafe) static let somewhere = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
}

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

    /// A copy of a text; bytes that are no UTF-8 come as U+FFFD.
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

    /// A text's UTF-8 bytes, not copied, for the time of `body`.
    package func withText<T, E: Error>(
        _ column: Int32, _ body: (Span<UInt8>) throws(E) -> T
    ) throws(E) -> T {
        // The text first: asking for it may convert, and the count is then the converted one's.
        let start = sqlite3_column_text(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return try body(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count).span)
    }

    /// A blob's bytes, not copied, for the time of `body`.
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
