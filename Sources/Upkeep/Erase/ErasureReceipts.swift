import Database
import Glibc
import Sealing
import Storage

/// The file `erased`: a line for each erasure, written and synced before anything is deleted.
package enum ErasureReceipts {
    /// All receipts of several files, each once, the oldest first. A file that is not there is empty;
    /// a last line that a crash cut off is left out: nothing was deleted by it.
    /// - Throws: `badReceipt` where a line is no receipt.
    package static func merged(_ paths: [String]) throws(StorageError) -> [ErasureReceipt] {
        var receipts: Set<ErasureReceipt> = []
        for path in paths { receipts.formUnion(try read(path).receipts) }
        return receipts.sorted { ($0.moment, $0.line) < ($1.moment, $1.line) }
    }

    /// The moment of the last receipt of a device, milliseconds since 1970; nil without one.
    static func last(of subject: Digest256, in path: String) throws(StorageError) -> Int64? {
        try read(path).receipts.filter { $0.subject == subject }.map(\.moment).max()
    }

    /// Writes a new file of them, 0600 and synced; its directory is not.
    /// - Throws: `alreadyThere`, or why it cannot be written.
    package static func write(
        _ receipts: [ErasureReceipt], to path: String
    ) throws(StorageError) {
        let file = try FileSystem.create(path)
        try file.write(octets(receipts))
        try file.sync()
    }

    /// Octets of a file of these receipts.
    static func octets(_ receipts: [ErasureReceipt]) -> [UInt8] {
        receipts.flatMap { Array("\($0.line)\n".utf8) }
    }

    /// The receipts behind the first `offset` octets, and where their whole lines end. An empty line
    /// says nothing, and is let be.
    static func read(
        _ path: String, from offset: Int64 = 0
    ) throws(StorageError) -> (receipts: [ErasureReceipt], end: Int64) {
        guard let status = try FileSystem.status(of: path), Int64(status.st_size) > offset else {
            return ([], offset)
        }
        let octets = try FileSystem.open(path, O_RDONLY).read(limit: Int(status.st_size))
        let rest = octets.dropFirst(Int(offset))
        guard let last = rest.lastIndex(of: UInt8(ascii: "\n")) else { return ([], offset) }
        var receipts: [ErasureReceipt] = []
        for line in rest[..<last].split(separator: UInt8(ascii: "\n")) {
            guard let receipt = ErasureReceipt(line: String(decoding: line, as: UTF8.self)) else {
                let before = octets[..<line.startIndex].count { $0 == UInt8(ascii: "\n") }
                throw .badReceipt(path: path, line: before + 1)
            }
            receipts.append(receipt)
        }
        return (receipts, Int64(last) + 1)
    }

    /// Adds one, on disk when this returns. What a crash left of a line goes.
    /// - Returns: where in the file it stands.
    static func append(
        _ receipt: ErasureReceipt, to path: String
    ) throws(StorageError) -> Range<Int64> {
        let isNew = try FileSystem.status(of: path) == nil
        let end = try read(path).end
        let line = Array("\(receipt.line)\n".utf8)
        let file =
            isNew ? try FileSystem.create(path) : try FileSystem.open(path, O_RDWR | O_NOFOLLOW)
        try file.replace(line, from: Int(end))
        try file.sync()
        if isNew { try FileSystem.syncDirectory(FileSystem.parent(of: path)) }
        return end..<end + Int64(line.count)
    }
}
