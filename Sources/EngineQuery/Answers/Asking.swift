import Engine
import Query

/// Asks the engine for one question, and holds the memory that its answers take until the question ends.
struct Asking: ~Copyable {
    let reader: any EngineReader
    let interruption: Interruption
    let portions: EnginePortions
    private var held: HeldBytes
    private var bytes = 0

    /// What an answer takes once more where it is made into values, about.
    private static let copies = 2
    /// Rows that are read between two checks whether the report has to end.
    private static let stride = 4096

    init(_ reader: any EngineReader, _ interruption: Interruption, _ portions: EnginePortions) {
        self.reader = reader
        self.portions = portions
        self.interruption = interruption
        held = HeldBytes(interruption.account, 0)
    }

    /// How many shards there are.
    var shards: Int { reader.shards }

    /// Whether one shard has all devices, so that it can rank and cut by itself.
    var isOneShard: Bool { shards == 1 }

    /// Throws if the report has to end.
    func check() throws(QueryError) {
        if interruption.isRaised { throw interruption.error }
        try reader.ask { () throws(EngineError) in try reader.check() }
    }

    /// Charges the report for memory until the question ends.
    mutating func hold(_ more: Int) {
        bytes += more
        held.set(bytes)
    }

    /// Reads the rows that all shards answer, those of one after those of another.
    mutating func rows<Row>(
        _ statement: String, _ row: (inout RowBinary.Reader) throws(RowBinary.Failure) -> Row
    ) throws(QueryError) -> [Row] {
        var rows: [Row] = []
        for answer in try answers(statement) { try append(answer, to: &rows, row) }
        return rows
    }

    /// The same by shard.
    mutating func rowsByShard<Row>(
        _ statement: String, _ row: (inout RowBinary.Reader) throws(RowBinary.Failure) -> Row
    ) throws(QueryError) -> [[Row]] {
        var all: [[Row]] = []
        for answer in try answers(statement) {
            var rows: [Row] = []
            try append(answer, to: &rows, row)
            all.append(rows)
        }
        return all
    }

    /// Reads the rows that one shard answers.
    mutating func rows<Row>(
        _ statement: String, shard: Int,
        _ row: (inout RowBinary.Reader) throws(RowBinary.Failure) -> Row
    ) throws(QueryError) -> [Row] {
        try check()
        var rows: [Row] = []
        let answer = try reader.ask { () throws(EngineError) in
            try reader.read(statement, shard: shard)
        }
        try append(answer, to: &rows, row)
        return rows
    }

    private func answers(_ statement: String) throws(QueryError) -> [[UInt8]] {
        try check()
        return try reader.ask { () throws(EngineError) in try reader.read(statement) }
    }

    private mutating func append<Row>(
        _ answer: [UInt8], to rows: inout [Row],
        _ row: (inout RowBinary.Reader) throws(RowBinary.Failure) -> Row
    ) throws(QueryError) {
        hold(answer.count * Self.copies)
        try check()
        var reader = RowBinary.Reader(answer)
        do throws(RowBinary.Failure) {
            while !reader.isAtEnd {
                rows.append(try row(&reader))
                if rows.count % Self.stride == 0, interruption.isRaised { break }
            }
        } catch {
            throw QueryError(error)
        }
        try check()
    }
}

extension RowBinary.Reader {
    private static let greatest = Int64(Int.mostCounted)

    /// A count or a sum that is not below 0.
    mutating func count() throws(RowBinary.Failure) -> Int {
        Int(min(try uint64(), UInt64(Self.greatest)))
    }

    /// An index or a number of days.
    mutating func index() throws(RowBinary.Failure) -> Int {
        Int(min(max(try int64(), -Self.greatest), Self.greatest))
    }

    /// The index of one of so many buckets.
    mutating func bucket(of count: Int) throws(RowBinary.Failure) -> Int {
        let index = try index()
        guard (0..<count).contains(index) else { throw .value(offset: offset) }
        return index
    }

    /// A text.
    mutating func text() throws(RowBinary.Failure) -> ByteText { ByteText(bytes: try bytes()) }

    /// Numbers.
    mutating func integers() throws(RowBinary.Failure) -> [Int64] {
        try array { (reader) throws(RowBinary.Failure) in try reader.int64() }
    }

    /// Numbers that events may have: none that is infinite or none.
    mutating func doubles() throws(RowBinary.Failure) -> [Double] {
        let greatest = Double.greatestFiniteMagnitude
        return try array { (reader) throws(RowBinary.Failure) in
            let number = try reader.float64()
            return number.isNaN ? 0 : min(max(number, -greatest), greatest)
        }
    }

    /// Counts.
    mutating func counts() throws(RowBinary.Failure) -> [Int] {
        try array { (reader) throws(RowBinary.Failure) in try reader.count() }
    }
}

/// Why a row cannot be read.
typealias RowFailure = RowBinary.Failure
