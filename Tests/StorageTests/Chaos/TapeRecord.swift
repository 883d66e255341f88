import CFaultVFS

/// One operation of SQLite's on a file, or a mark of the test's.
struct TapeRecord {
    enum Operation {
        /// Opened, and made where it was not there. With what was in it where the tape did not know it.
        case open(isThere: Bool, contents: [UInt8])
        case write(offset: Int, octets: [UInt8])
        case truncate(length: Int)
        /// `names`: the folder is synced too.
        case sync(names: Bool)
        case delete(isSynced: Bool)
        case mark(Int)
    }

    /// Name in the folder.
    let file: String
    let operation: Operation
    /// It told SQLite that it failed; of a write what is in `octets` was written all the same.
    let hasFailed: Bool
    /// It did nothing and told SQLite that it worked.
    let isLie: Bool

    init(_ record: faultvfs_record, in rig: OpaquePointer) {
        let octets = Array(UnsafeBufferPointer(start: record.octets, count: Int(record.count)))
        operation =
            switch Int(record.kind) {
            case Int(FAULTVFS_OPEN): .open(isThere: record.flag != 0, contents: octets)
            case Int(FAULTVFS_WRITE): .write(offset: Int(record.offset), octets: octets)
            case Int(FAULTVFS_TRUNCATE): .truncate(length: Int(record.offset))
            case Int(FAULTVFS_SYNC): .sync(names: record.flag != 0)
            case Int(FAULTVFS_DELETE): .delete(isSynced: record.flag != 0)
            default: .mark(Int(record.offset))
            }
        let isMark = Int(record.kind) == Int(FAULTVFS_MARK)
        file = isMark ? "" : String(cString: faultvfs_name(rig, record.file))
        isLie = record.fault == FAULTVFS_LIE
        hasFailed = record.fault != 0 && !isLie
    }
}
