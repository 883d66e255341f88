import Database
import Storage

/// Whether the file `erased` has all that was carried out, and each line of it is a receipt of an
/// erasure, or empty.
struct ReceiptCheck {
    /// Milliseconds in which a line that is being written has its end.
    private static let pause: UInt32 = 50
    private static let restoring = "bring its lines back from a backup's file erased"

    private let directory: DataDirectory
    private let connection: Connection
    private let polling: Polling

    init(_ directory: DataDirectory, _ connection: Connection, polling: Polling = .system) {
        self.directory = directory
        self.connection = connection
        self.polling = polling
    }

    func run(_ findings: inout Findings) throws(StorageError) {
        // Before the file is read, which an erasure goes on with first.
        let done = try connection.fact(Erasure.erasedBytes) ?? 0
        let lost = try connection.fact(Erasure.lostBytes) ?? 0
        let text = try contents()
        let missing = done + lost - Int64(text.count)
        if missing > 0 {
            findings.add(
                Finding(
                    directory.erased, "lacks \(missing) octets of what was carried out",
                    advice: Self.restoring))
        }
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty {
            let fault =
                if ErasureReceipt(line: String(decoding: line, as: UTF8.self)) == nil {
                    "is no receipt of an erasure"
                } else if index == lines.count - 1 {
                    "has no end"
                } else {
                    nil as String?
                }
            guard let fault else { continue }
            findings.add(
                Finding(
                    "line \(index + 1) of \(directory.erased)", fault,
                    advice: index == lines.count - 1
                        ? "bring this line back from a backup's file erased, or take it out"
                        : "bring this line back from a backup's file erased"))
        }
    }

    /// All of it; once more where it does not end with a line, which somebody may just write.
    private func contents() throws(StorageError) -> [UInt8] {
        guard try FileSystem.status(of: directory.erased) != nil else { return [] }
        var text: [UInt8] = []
        _ = try polling.first(every: Self.pause, for: Self.pause) { () throws(StorageError) in
            text = try FileSystem.contents(of: directory.erased)
            return text.last ?? UInt8(ascii: "\n") == UInt8(ascii: "\n") ? () : nil
        }
        return text
    }
}
