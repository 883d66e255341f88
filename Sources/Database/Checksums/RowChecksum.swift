import CSQLite

/// The SQL function `row_checksum(table, value, …)`: XXH64 over the table's name and the values, each
/// with its type, so that a null, a nought and an empty text differ.
enum RowChecksum {
    package static let name = "row_checksum"

    /// Makes the function known to a connection.
    package static func register(on handle: OpaquePointer) -> Int32 {
        sqlite3_create_function_v2(
            handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
            { context, count, values in
                var stream = ChecksumStream()
                for place in 0..<Int(count) { RowChecksum.add(values?[place], to: &stream) }
                sqlite3_result_int64(context, Int64(bitPattern: stream.value))
            }, nil, nil, nil)
    }

    private static func add(_ value: OpaquePointer?, to stream: inout ChecksumStream) {
        let type = sqlite3_value_type(value)
        let tag = UInt64(type)
        switch type {
        case SQLITE_INTEGER:
            stream.add(tag, UInt64(bitPattern: sqlite3_value_int64(value)), 0, 0)
        case SQLITE_FLOAT:
            stream.add(tag, sqlite3_value_double(value).bitPattern, 0, 0)
        case SQLITE_NULL:
            stream.add(tag, 0, 0, 0)
        default:
            // Of a text the blob is its octets.
            let start = sqlite3_value_blob(value)
            let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
            stream.add(tag, UInt64(count), 0, 0)
            stream.add(UnsafeRawBufferPointer(start: start, count: count))
        }
    }
}
