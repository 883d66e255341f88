import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage

@Suite("a database on a read-only file system (docs/operation.md, When something fails)")
struct ReadOnlyDiskTests {
    /// What a server that was killed leaves behind.
    /// - Parameter suffixes: of the files of the database that are there
    private func leftBehind(_ suffixes: [String]) throws -> DataDirectory {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        let copy = FileManager.default.temporaryDirectory.path + "/sojourn-\(UUID().uuidString)"
        let target = DataDirectory(copy)
        try target.create()
        for suffix in suffixes {
            try FileManager.default.copyItem(
                atPath: folder.data.database + suffix, toPath: target.database + suffix)
        }
        try FileManager.default.copyItem(
            atPath: folder.data.masterKey, toPath: target.masterKey)
        try store.close()
        return target
    }

    @Test(
        "a closed one is read like any, also beside an empty log",
        .enabled(if: ReadOnlyMount.isPossible, "this user cannot mount"), arguments: [false, true])
    func closed(hasLog: Bool) throws {
        let store = try VerifiedStore(batches: 30)
        if hasLog { try Data().write(to: URL(filePath: store.database + "-wal")) }
        let names = try store.folder.names()
        try ReadOnlyMount.with(store.folder.data.path) {
            let outcome = try store.verify()
            #expect(outcome.isGood && outcome.batches == 30, "\(outcome.findings)")
            let reader = try StoreReader(directory: store.folder.data)
            #expect(try reader.registry().apps.map(\.name) == ["shop"])
            // Who wants to write is told why that cannot be.
            let refused = failure { _ = try Store.open(store.folder.options) }
            #expect(refused?.description.contains("; mount its file system writable") == true)
        }
        #expect(try store.folder.names() == names)
        try Store.open(store.folder.options).close()
    }

    @Test(
        "its name may be any", .enabled(if: ReadOnlyMount.isPossible, "this user cannot mount"))
    func names() throws {
        let folder = TemporaryFolder()
        var options = folder.options
        options.directory = DataDirectory(folder.path + "/d?a #%41&immutable=0é")
        try Store.open(options).close()
        try ReadOnlyMount.with(folder.path) {
            let reader = try StoreReader(directory: options.directory)
            #expect(try reader.registry().apps.isEmpty)
        }
    }

    @Test(
        "a log with something in it is named, and what to do",
        .enabled(if: ReadOnlyMount.isPossible, "this user cannot mount"))
    func log() throws {
        let directory = try leftBehind(["", "-wal"])
        defer { try? FileManager.default.removeItem(atPath: directory.path) }
        try ReadOnlyMount.with(directory.path) {
            let error = failure { _ = try StoreReader(directory: directory) }
            #expect(error?.kind == .io)
            let text = error?.description ?? ""
            #expect(text.contains(directory.wal + " cannot be read on a read-only file system"))
            #expect(text.contains("; copy its directory to a writable one"))
        }
        #expect(try StoreReader(directory: directory).registry().apps.map(\.name) == ["shop"])
    }

    @Test(
        "with the memory that was shared the log is read there, too",
        .enabled(if: ReadOnlyMount.isPossible, "this user cannot mount"))
    func logWithIndex() throws {
        let directory = try leftBehind(["", "-wal", "-shm"])
        defer { try? FileManager.default.removeItem(atPath: directory.path) }
        try ReadOnlyMount.with(directory.path) {
            let reader = try StoreReader(directory: directory)
            #expect(try reader.registry().apps.map(\.name) == ["shop"])
        }
    }

    @Test("a path in a URI has no meaning but its own")
    func uriPath() {
        #expect(Connection.uriPath("/a/b-c_d.e~f") == "///a/b-c_d.e~f")
        #expect(Connection.uriPath("data/x") == "data/x")
        #expect(Connection.uriPath("/a b?c#d%é\u{1}") == "///a%20b%3Fc%23d%25%C3%A9%01")
    }
}
