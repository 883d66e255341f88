/// What a batch's texts are in their table, by place: their rows, and hashes of them for its checksum.
struct TextCodes {
    private(set) var rows: [Int64] = []
    private(set) var hashes: [UInt64] = []

    mutating func append(_ coded: CodeTables.Coded) {
        rows.append(coded.code)
        hashes.append(coded.hash)
    }

    /// None, with the memory kept.
    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
    }
}
