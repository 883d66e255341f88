import Database
import Storage

/// Whether the file `erased` has all that was carried out, and each line of it is a receipt of an
/// erasure, or empty.
struct ReceiptCheck {
    /// Milliseconds in which a line that is being written has its end.
    private static let pause: UInt32 = 50
    private static let restoring = "bring its lines back from a backup's file erased"
    private static let restoringOne = "bring this line back from a backup's file erased"

    private let directory: DataDirectory
    private let connection: Connection
    private let polling: Polling

    init(_ directory: DataDirectory, _ connection: Connection, polling: Polling = .system) {
        self.directory = directory
        self.connection = connection
        self.polling = polling
    }

    func run(_ findings: inout Findings) throws(StorageError) {
        // Before the file is looked at, which an erasure goes on with first.
        let done = try connection.fact(Erasure.erasedBytes) ?? 0
        let lost = try connection.fact(Erasure.lostBytes) ?? 0
        let size = try FileSystem.status(of: directory.erased).map { Int64($0.st_size) }
        let missing = done + lost - (size ?? 0)
        if missing > 0 {
            findings.add(
                Finding(
                    directory.erased, "lacks \(missing) bytes of what was carried out",
                    advice: Self.restoring))
        }
        guard size != nil else { return }
        var number = 0
        let tail = try readLines { line in
            number += 1
            guard !line.isEmpty, let fault = Self.fault(of: line) else { return }
            findings.add(
                Finding("line \(number) of \(directory.erased)", fault, advice: Self.restoringOne))
        }
        guard !tail.isEmpty else { return }
        findings.add(
            Finding(
                "line \(number + 1) of \(directory.erased)", Self.fault(of: tail) ?? "has no end",
                advice: Self.restoringOne + ", or take it out"))
    }

    private static func fault(of line: [UInt8]) -> String? {
        ErasureReceipt(line: String(decoding: line, as: UTF8.self)) == nil
            ? "is no receipt of an erasure" : nil
    }

    /// Hands each complete line over; looks once more where the file does not end with one, which somebody may just
    /// write.
    /// - Returns: how the last line begins if it has no end
    private func readLines(_ take: ([UInt8]) -> Void) throws(StorageError) -> [UInt8] {
        var read = (end: Int64(0), tail: [UInt8]())
        _ = try polling.first(every: Self.pause, for: Self.pause) { () throws(StorageError) in
            read = try ErasureReceipts.lines(
                of: directory.erased, from: read.end
            ) { (line, _) throws(StorageError) in take(line) }
            return read.tail.isEmpty ? () : nil
        }
        return read.tail
    }
}
