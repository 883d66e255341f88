import CSQLite
import Foundation
import StoreTestSupport
import Testing

@testable import Database

/// What an error of SQLite is follows from its code, never from its words.
@Suite("errors by code")
struct ErrorCodeTests {
    private let folder = TemporaryFolder()
    private var file: String { folder.path + "/file" }

    /// The error of a query in a database with one table whose file was changed.
    private func error(
        of query: String = "SELECT * FROM t", after change: (inout Data) -> Void
    ) throws -> StorageError? {
        try Data().write(to: URL(filePath: file))
        let connection = try Connection(path: file, mode: .copy)
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        var data = try contents(of: file)
        change(&data)
        try data.write(to: URL(filePath: file))
        return failure {
            let statement = try Connection(path: file, mode: .read).prepare(query)
            while try statement.step() {}
        }
    }

    private func isDamage(_ error: StorageError?) -> Bool {
        if case .damaged(file, _) = error { error?.kind == .badData } else { false }
    }

    @Test("a format of the schema that there is not is damage", arguments: [5, 6, 0x80] as [UInt8])
    func format(_ format: UInt8) throws {
        #expect(isDamage(try error { $0[47] = format }))
    }

    @Test("those that there are, are none", arguments: [0, 1, 2, 3, 4] as [UInt8])
    func formats(_ format: UInt8) throws {
        #expect(try error { $0[47] = format } == nil)
    }

    @Test("a wrong statement is no damage, whatever words it brings into the message")
    func wrongStatements() throws {
        for query in ["SELECT * FROM none", "SELECT [unsupported file format]", "nothing"] {
            let wrong = try error(of: query) { _ in }
            guard case .database(_, file, SQLITE_ERROR, let reason, 0) = wrong else {
                Issue.record("\(query): \(String(describing: wrong))")
                continue
            }
            #expect(reason.contains(query == "nothing" ? "syntax error" : "no such"))
        }
    }

    @Test("a wrong statement in a damaged file is damage")
    func both() throws {
        #expect(isDamage(try error(of: "SELECT * FROM none") { $0[47] = 9 }))
    }

    @Test(
        "no database, and a page that is none, are damage",
        arguments: [0, 16, 100, 4096] as [Int])
    func codes(_ offset: Int) throws {
        #expect(isDamage(try error { $0[offset] = 0xf3 }))
    }
}
