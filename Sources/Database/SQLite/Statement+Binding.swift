import CSQLite

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

    /// A text by its octets, of which NUL may be one. SQLite copies it.
    package func bind(_ parameter: Int32, _ text: String) throws(StorageError) {
        var text = text
        let code = text.withUTF8 { octets in
            octets.withMemoryRebound(to: CChar.self) {
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

    /// UTF-8 octets as a text, or null. SQLite copies them.
    package func bindText(_ parameter: Int32, _ octets: [UInt8]?) throws(StorageError) {
        guard let octets else { return try bindNull(parameter) }
        let code = octets.withUnsafeBytes { octets in
            sojourn_sqlite_bind_text(
                handle, parameter, Self.start(octets.assumingMemoryBound(to: CChar.self)),
                UInt64(octets.count), 1)
        }
        try check(code)
    }

    /// UTF-8 octets as a text that is not copied: they must be there whenever the statement runs, until the
    /// parameter is bound anew or cleared. For rows by the thousand.
    @inline(__always)
    package func bindText(
        _ parameter: Int32, borrowing octets: UnsafeRawBufferPointer
    ) throws(StorageError) {
        try check(
            sojourn_sqlite_bind_text(
                handle, parameter, Self.start(octets.assumingMemoryBound(to: CChar.self)),
                UInt64(octets.count), 0))
    }

    /// A blob, or null. SQLite copies it.
    package func bindBlob(_ parameter: Int32, _ octets: [UInt8]?) throws(StorageError) {
        guard let octets else { return try bindNull(parameter) }
        try bindBlob(parameter, octets.span)
    }

    /// A blob. SQLite copies it.
    package func bindBlob(_ parameter: Int32, _ octets: Span<UInt8>) throws(StorageError) {
        let code = octets.withUnsafeBytes { octets in
            // An empty buffer may have no address, and without one SQLite would bind null.
            sojourn_sqlite_bind_blob(
                handle, parameter, octets.baseAddress ?? Self.somewhere, UInt64(octets.count), 1)
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
