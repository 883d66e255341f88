import Database

/// What can go wrong with a backup and what is brought back from it.
extension StorageError {
    /// A database is where one is to be restored.
    static func databaseThere(path: String) -> StorageError {
        .other(
            Other(
                "database there", .cannotCreate,
                "cannot create \(path): it is there already; move it and what begins with its name away, "
                    + "and leave erased and master.key"))
    }

    /// A backup would lie in what it is a copy of.
    static func backupInside(path: String, directory: String) -> StorageError {
        .other(
            Other(
                "backup inside", .cannotCreate,
                "cannot create \(path): it lies in the data directory \(directory); "
                    + "use a folder elsewhere, best on another disk"))
    }

    /// What is to be restored is not what `backup` made. `found` ends a sentence.
    static func badBackup(path: String, found: String) -> StorageError {
        .other(
            Other(
                "bad backup", .badData,
                "\(path) is no whole backup: \(found); nothing was restored: use another backup"))
    }

    /// Something else lies where the file `erased` should.
    static func receiptsNotRegular(path: String, kind: FileKind) -> StorageError {
        .other(
            Other(
                "receipts not regular", .io,
                "cannot read \(path): it is \(kind.rawValue); move it away, and bring back a backup's "
                    + "file erased"))
    }

    /// A line of the file `erased`, counted from 1.
    static func badReceipt(path: String, line: Int) -> StorageError {
        .other(
            Other(
                "bad receipt", .badData,
                "line \(line) of \(path) is no receipt of an erasure; "
                    + "bring this line back from a backup's file erased, or take it out"))
    }
}
