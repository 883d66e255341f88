import Sealing

/// Stand-ins for what erases by receipt; to be replaced as a whole by the room that does.
package struct ErasureReceipt: Sendable, Hashable {
    let subject: Digest256
    let moment: Int64

    package init?(line: String) {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 64, parts[0] == parts[0].lowercased(),
            let octets = Hex.decode(parts[0].utf8.span),
            let subject = Digest256(bytes: octets.span), let moment = Int64(parts[1]),
            moment >= 0
        else { return nil }
        self.subject = subject
        self.moment = moment
    }

    package var line: String { "\(subject.hex) \(moment)\n" }
}

enum ErasureReceipts {
    static func merged(_ paths: [String]) throws(StorageError) -> [ErasureReceipt] {
        var seen: Set<ErasureReceipt> = []
        var receipts: [ErasureReceipt] = []
        for path in paths where try FileSystem.status(of: path) != nil {
            let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
            for line in text.split(separator: "\n") {
                guard let receipt = ErasureReceipt(line: String(line)) else {
                    throw .damaged(path: path, found: "a line is no receipt")
                }
                if seen.insert(receipt).inserted { receipts.append(receipt) }
            }
        }
        return receipts.sorted { $0.moment < $1.moment }
    }

    static func write(_ receipts: [ErasureReceipt], to path: String) throws(StorageError) {
        let file = try FileSystem.create(path)
        try file.write(receipts.flatMap { Array($0.line.utf8) })
        try file.sync()
    }
}

enum Erasure {
    @discardableResult
    static func replay(
        _ receipts: [ErasureReceipt], on connection: Connection
    ) throws(StorageError) -> Int {
        if receipts.isEmpty { return 0 }
        throw .unstorable(rule: "receipts of erasures cannot be replayed by this build")
    }
}
