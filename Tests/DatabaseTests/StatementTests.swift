import CSQLite
import StoreTestSupport
import Testing

@testable import Database

@Suite("statements")
struct StatementTests {
    let connection: Connection

    init() throws { connection = try Connection(path: ":memory:", mode: .memory) }

    @Test("a text with a NUL in it comes back whole")
    func nulText() throws {
        let echo = try connection.prepare("SELECT ?, length(CAST(? AS BLOB))")
        try echo.bind(1, "a\0b\0")
        try echo.bind(2, "a\0b\0")
        #expect(try echo.step() == true)
        #expect(echo.text(0) == "a\0b\0")
        #expect(echo.int(1) == 4)
        #expect(echo.withText(0) { $0.count } == 4)
    }

    @Test("an empty text and an empty blob are not null")
    func empties() throws {
        let echo = try connection.prepare("SELECT ?, ?, ?, ?")
        try echo.bind(1, "")
        try echo.bindBlob(2, [])
        try echo.bindText(3, [])
        try echo.bindText(4, borrowing: UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(try echo.step() == true)
        for column in 0..<Int32(4) {
            #expect(echo.isNull(column) == false)
            #expect(echo.blob(column) == [])
        }
    }

    @Test("nil is null, of every type")
    func nulls() throws {
        let echo = try connection.prepare("SELECT ?, ?, ?, ?")
        try echo.bind(1, Int64?.none)
        try echo.bind(2, String?.none)
        try echo.bindBlob(3, [UInt8]?.none)
        try echo.bindText(4, nil)
        #expect(try echo.step() == true)
        for column in 0..<Int32(4) { #expect(echo.isNull(column) == true) }
        #expect(echo.optionalInt(0) == nil && echo.optionalText(1) == nil)
    }

    @Test("numbers come back as they were", arguments: [Int64.min, -1, 0, 1, Int64.max])
    func integers(_ value: Int64) throws {
        let echo = try connection.prepare("SELECT ?, ?")
        try echo.bind(1, value)
        try echo.bind(2, real: 0.1)
        #expect(try echo.step() == true)
        #expect(echo.int(0) == value)
        #expect(echo.double(1) == 0.1)
    }

    @Test("a statement runs again after it failed")
    func runsAgain() throws {
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY) STRICT")
        let insert = try connection.prepare("INSERT INTO t VALUES (?)")
        try insert.bind(1, 1)
        try insert.run()
        #expect(failure { try insert.run() } != nil)
        try insert.bind(1, 2)
        try insert.run()
        #expect(try connection.integer("SELECT count(*) FROM t") == 2)
    }

    @Test("a word in double quotes is never a text")
    func doubleQuotes() {
        #expect(failure { _ = try connection.prepare("SELECT \"no such column\"") } != nil)
    }

    @Test("a parameter that is not there is an error")
    func wrongParameter() throws {
        let echo = try connection.prepare("SELECT ?")
        #expect(failure { try echo.bind(2, 1) } != nil)
    }
}
