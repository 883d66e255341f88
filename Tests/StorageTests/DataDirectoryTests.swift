import Dispatch
import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import Database
@testable import Storage

@Suite("the data directory (docs/operation.md)")
struct DataDirectoryTests {
    @Test(
        "the directory is 0700 and files 0600 under every umask", arguments: [0o000, 0o022, 0o777])
    func modes(_ mask: Int) throws {
        let folder = TemporaryFolder()
        let store = try withUmask(mode_t(mask)) { try Store.open(folder.options) }
        let reader = try store.reader()
        #expect(try reader.integer("SELECT count(*) FROM app") == 0)
        #expect(try mode(of: folder.data.path) == 0o700)
        let names = try folder.names()
        #expect(
            names == [
                "master.key", "sojourn.db", "sojourn.db-shm", "sojourn.db-wal", "sojourn.lock",
            ])
        for name in names {
            #expect(try mode(of: folder.data.path + "/" + name) == 0o600, "\(name)")
        }
    }

    @Test("what root makes in another user's folder is that user's", .enabled(if: geteuid() == 0))
    func ownerOfFolder() throws {
        let folder = TemporaryFolder()
        let path = folder.data.path
        try FileSystem.makeDirectory(path)
        #expect(chown(path, 10_001, 10_002) == 0)
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        try FileSystem.makeDirectory(path + "/copies/first")
        _ = try FileSystem.create(path + "/copies/first/erased")
        for name in try folder.names() + ["copies/first", "copies/first/erased"] {
            let status = try #require(try FileSystem.status(of: path + "/" + name))
            #expect(status.st_uid == 10_001 && status.st_gid == 10_002, "\(name)")
        }
        // Beside them what root keeps for itself.
        _ = try FileSystem.create(folder.path + "/own")
        #expect(try FileSystem.status(of: folder.path + "/own")?.st_uid == 0)
    }

    @Test("closing leaves one file of the database")
    func closes() throws {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        try store.close()
        #expect(try folder.names() == ["master.key", "sojourn.db", "sojourn.lock"])
    }

    @Test("a second one that writes is refused while the first is there, and may follow it")
    func lock() throws {
        let folder = TemporaryFolder()
        let first = try Store.open(folder.options)
        do {
            _ = try Store.open(folder.options)
            Issue.record("two stores on one directory")
        } catch {
            #expect(error.kind == .busy)
            #expect(error.kind.exitCode == 75)
            #expect("\(error)".contains("in use by process \(getpid())"))
        }
        try first.close()
        try Store.open(folder.options).close()
    }

    @Test("parents are made; a file in the way is `cannot create`")
    func creation() throws {
        let folder = TemporaryFolder()
        let deep = DataDirectory(folder.path + "/a/b/c")
        try deep.create()
        #expect(try mode(of: deep.path) == 0o700)
        try Data().write(to: URL(filePath: folder.path + "/file"))
        for path in ["/file", "/file/data"] {
            do {
                try DataDirectory(folder.path + path).create()
                Issue.record("made a directory at \(path)")
            } catch {
                #expect(error.kind == .cannotCreate)
            }
        }
    }

    @Test("descriptors are as many after 64 stores as before, also of ones that failed")
    func descriptors() throws {
        let folder = TemporaryFolder()
        try Store.open(folder.options).close()
        #expect(try openDescriptors(in: folder) == 0)
        let probe = open(folder.data.masterKey, O_RDONLY)
        #expect(try openDescriptors(in: folder) == 1)
        close(probe)
        for _ in 0..<64 {
            let store = try Store.open(folder.options)
            let reader = try store.reader()
            _ = try reader.integer("SELECT count(*) FROM app")
            #expect(throws: StorageError.self) { _ = try Store.open(folder.options) }
            try store.close()
        }
        #expect(try openDescriptors(in: folder) == 0)
    }

    @Test("a command reads while a server is open, and without one, and changes nothing")
    func reading() throws {
        let folder = TemporaryFolder()
        #expect(throws: StorageError.self) { _ = try StoreReader(directory: folder.data) }
        #expect(!FileManager.default.fileExists(atPath: folder.data.path))
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        #expect(try StoreReader(directory: folder.data).registry().apps.map(\.name) == ["shop"])
        try store.close()
        let before = try contents(of: folder.data.database)
        #expect(try StoreReader(directory: folder.data).registry().apps.map(\.name) == ["shop"])
        #expect(try contents(of: folder.data.database) == before)
    }

    @Test("the lock is given back although a process in the making has its descriptor")
    func lockOfTwo() throws {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        // What a fork leaves open until its exec.
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let copies = names.compactMap { name -> Int32? in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/" + name)
            return target == folder.data.lockFile ? Int32(name).map { dup($0) } : nil
        }
        #expect(!copies.isEmpty)
        defer { copies.forEach { close($0) } }
        try store.close()
        try Store.open(folder.options).close()
    }
}

/// Runs `body` on a thread with a umask of its own.
private func withUmask<T: Sendable>(
    _ mask: mode_t, _ body: @escaping @Sendable () throws -> T
) throws -> T {
    let result = Mutex<Result<T, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        // Before it the umask is all threads'. The header hides it from Swift.
        typealias Unshare = @convention(c) (Int32) -> Int32
        let cloneFS: Int32 = 0x200
        let isOwn =
            dlsym(dlopen(nil, RTLD_NOW), "unshare")
            .map { unsafeBitCast($0, to: Unshare.self)(cloneFS) == 0 } ?? false
        if isOwn { umask(mask) }
        let outcome = Result { () throws -> T in
            try #require(isOwn)
            return try body()
        }
        result.withLock { $0 = outcome }
        done.signal()
    }
    done.wait()
    return try #require(result.withLock { $0 }).get()
}
