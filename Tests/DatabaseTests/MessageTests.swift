import CSQLite
import Foundation
import StoreTestSupport
import Testing

@testable import Database

@Suite("messages say what failed, with what, and what to do (docs/operation.md, Exit codes)")
struct MessageTests {
    private func refused(_ code: Int32, _ reason: String, errno: Int32 = 0) -> String {
        StorageError.database(
            operation: "write", path: "/d/sojourn.db", code: code, reason: reason, errno: errno
        ).description
    }

    @Test(
        "what SQLite refuses is answered with what helps",
        arguments: [
            (SQLITE_FULL, Int32(0), "; make room on its disk"),
            (SQLITE_FULL, ENOSPC, "; make room on its disk"),
            (SQLITE_READONLY, 0, "; make the file and its directory writable for this user"),
            (1544, 0, "; make the file and its directory writable for this user"),
            (1032, 0, "; it was moved or removed while it was open: start again"),
            (SQLITE_IOERR, 0, "; check the disk and the permissions"),
            (SQLITE_CANTOPEN, EACCES, "; run as its owner"),
            (SQLITE_CANTOPEN, EROFS, "; mount its file system writable"),
        ])
    func advice(_ code: Int32, _ errno: Int32, _ advice: String) {
        let text = refused(code, "reason", errno: errno)
        #expect(text.hasPrefix("cannot write /d/sojourn.db: reason (\(code))"), "\(text)")
        #expect(text.contains(advice), "\(text)")
        #expect(text.components(separatedBy: advice).count == 2, "\(text)")
        #expect(!text.contains("\n"))
    }

    @Test("a full database and a reader that writes are told so by SQLite itself")
    func real() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/a.db"
        try Data().write(to: URL(filePath: path))
        let writer = try Connection(path: path, mode: .write)
        try writer.execute("CREATE TABLE t (a); PRAGMA max_page_count=2")
        let full = failure { try writer.execute("INSERT INTO t VALUES (zeroblob(99999))") }
        #expect(full?.kind == .storageFull)
        #expect(full?.description.contains("is full (13); make room on its disk") == true)
        let reader = try Connection(path: path, mode: .read)
        let refused = failure { try reader.execute("DELETE FROM t") }
        #expect(refused?.kind == .io)
        #expect(refused?.description.contains("(8); make the file") == true)
    }
}
