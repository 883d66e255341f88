/// Whether each line of the file `erased` is a receipt of an erasure, or empty.
struct ReceiptCheck {
    private let directory: DataDirectory

    init(_ directory: DataDirectory) { self.directory = directory }

    func run(_ findings: inout Findings) throws(StorageError) {
        guard try FileSystem.status(of: directory.erased) != nil else { return }
        let text = try FileSystem.contents(of: directory.erased)
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // What is behind the last line's end: a receipt that was cut off in a crash, of an erasure that
        // nobody was told of, or nothing.
        lines.removeLast()
        for (place, line) in lines.enumerated()
        where !line.isEmpty && ErasureReceipt(line: String(decoding: line, as: UTF8.self)) == nil {
            findings.add(
                Finding(
                    "line \(place + 1) of \(directory.erased)", "is no receipt of an erasure",
                    advice: "bring this line back from a backup's file erased"))
        }
    }
}
