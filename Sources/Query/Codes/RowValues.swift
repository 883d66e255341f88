/// A value for each of some row ids, which are numbered from 0 in order of appearance (`RowCodes`).
struct RowValues<Value: Sendable>: Sendable {
    private var codes: RowCodes
    /// By number.
    private(set) var all: [Value] = []
    private var held: HeldBytes

    /// Without rows.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) {
        codes = RowCodes(account)
        held = HeldBytes(account)
    }

    /// As `RowCodes.entry`.
    @inline(__always)
    func entry(of row: Int64) -> Int { codes.entry(of: row) }

    /// The number of a row, which has a value now.
    /// - Parameter value: what it has if it had none
    @inline(__always)
    mutating func number(of row: Int64, new value: @autoclosure () -> Value) -> Int {
        let number = codes.code(of: row)
        if number == all.count { all.append(value(), &held) }
        return number
    }

    /// The value of a row by its number.
    @inline(__always)
    subscript(number: Int) -> Value {
        get { all[number] }
        _modify { yield &all[number] }
    }
}
