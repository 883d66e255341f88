import Database
import Storage

/// The texts of a dictionary's rows, looked up once: names of events, keys of attributes. They stand
/// one after the other as JSON strings, each with what follows it in a line.
struct RowTexts: ~Copyable {
    private let select: Statement
    private let suffix: [UInt8]
    private let damage: StorageError
    private let account: ReportAccount
    private var numbers: RowNumbers
    private var ends: [Int] = []
    private(set) var bytes: [UInt8] = []

    /// The most texts that are held; more are looked up again.
    private static let maxCount = 10_000

    /// - Parameters:
    ///   - sql: selects the text of row ?1
    ///   - suffix: is put after each text
    ///   - damage: what was found where a row is not there
    init(
        _ sql: String, suffix: String = "", orDamaged damage: String, _ reading: Reading
    ) throws(StorageError) {
        select = try reading.prepare(sql)
        self.suffix = Array(suffix.utf8)
        self.damage = .damaged(path: reading.connection.path, found: damage)
        account = reading.account
        numbers = RowNumbers(account)
    }

    /// Forgets all texts, and so their numbers, where it holds too many.
    mutating func trim() {
        guard ends.count > Self.maxCount else { return }
        numbers = RowNumbers(account)
        ends.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// The number of a row's text, until the next `trim`. Throws what the database throws, and
    /// `damaged` where the row is not there.
    @inline(__always)
    mutating func number(of row: Int64) throws(StorageError) -> Int {
        if let number = numbers.known(row) { return number }
        return try read(row)
    }

    /// The range in `bytes` of the text of a number.
    @inline(__always)
    func range(of number: Int) -> Range<Int> {
        (number == 0 ? 0 : ends[number - 1])..<ends[number]
    }

    @inline(never)
    private mutating func read(_ row: Int64) throws(StorageError) -> Int {
        try select.bind(1, row)
        defer { select.reset() }
        guard try select.step() else { throw damage }
        bytes += ByteText(bytes: select.blob(0)).json
        bytes += suffix
        ends.append(bytes.count)
        return numbers.number(of: row)
    }
}
