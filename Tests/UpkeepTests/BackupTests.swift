import Foundation
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("backup and restore (docs/operation.md, Backup and restore)")
struct BackupTests {
    let folder = TemporaryFolder()
    var target: String { folder.path + "/copy" }
    var other: DataDirectory { DataDirectory(folder.path + "/other") }

    private func filled(_ batches: Int = 50) throws -> Store {
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        for number in 0..<batches {
            let batch = Batches.make(
                "b-\(number)", device: number % 5, times: [Batches.noon, Batches.noon + 1])
            #expect(store.writer.storeAlone(batch) == .stored)
        }
        return store
    }

    private func backup(_ store: Store, withKey: Bool = true) throws -> BackupManifest {
        try Backup(of: store, .init(target: target, withKey: withKey, program: "1", now: 7)).run()
    }

    private func restore() throws -> Restore.Outcome {
        try Restore(from: target, to: Store.Options(directory: other)).run()
    }

    private func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test("a copy holds what was stored when it began, verifies and comes back")
    func wholeWay() throws {
        let store = try filled()
        var later = 50
        let manifest = try Backup(
            of: store, .init(target: target, withKey: true, program: "1", now: 7)
        ).run { (_, _) throws(StorageError) in
            // Stored while it is copied: after its moment.
            later += 1
            _ = store.writer.storeAlone(Batches.make("b-\(later)", device: 9))
        }
        #expect(later > 50)
        #expect(manifest.batches == 50 && manifest.events == 100 && manifest.devices == 5)
        #expect(try names(in: target) == ["erased", "manifest.json", "master.key", "sojourn.db"])
        #expect(try mode(of: target) == 0o700)
        for name in try names(in: target) { #expect(try mode(of: target + "/" + name) == 0o600) }
        #expect(try BackupManifest.read(in: target) == manifest)
        #expect(try restore().missingKey == nil)
        #expect(
            try names(in: other.path) == ["erased", "master.key", "sojourn.db", "sojourn.lock"])
        for name in try names(in: other.path) {
            #expect(try mode(of: other.path + "/" + name) == 0o600)
        }
        let outcome = try Verification(other).run()
        #expect(outcome.findings == [] && outcome.batches == 50)
        let again = try Store.open(Store.Options(directory: other))
        #expect(
            again.writer.storeAlone(Batches.make("b-49", device: 4))
                == .duplicate(accepted: 2, rejected: 0))
        #expect(again.writer.storeAlone(Batches.make("b-50", device: 4)) == .stored)
    }

    @Test("no engine takes a copy that is brought back for the database it was made of")
    func engineMark() throws {
        let store = try filled(1)
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try connection.setFact(Connection.engineMark, 7)
            }
        }
        _ = try backup(store)
        _ = try restore()
        let again = try Store.open(Store.Options(directory: other))
        #expect(try again.reader().fact(Connection.engineMark) == nil)
        #expect(try store.reader().fact(Connection.engineMark) == 7)
        try again.close()
        #expect(try Verification(other).run().findings == [])
    }

    @Test("a folder in the data directory is refused, also by another name for it: 73")
    func inside() throws {
        let store = try filled(2)
        let before = try names(in: folder.data.path)
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.data.path)
        for place in [folder.data.path, folder.data.path + "/a/b", link + "/a", link + "/."] {
            let error = failure {
                _ = try Backup(of: store, .init(target: place, program: "1", now: 7)).run()
            }
            #expect(error?.kind == .cannotCreate)
            #expect(error?.description.contains("it lies in the data directory") == true)
        }
        #expect(try names(in: folder.data.path) == before)
        // The name alone does not make it lie there.
        let beside = folder.data.path + "-copy"
        _ = try Backup(of: store, .init(target: beside, program: "1", now: 7)).run()
    }

    @Test("nothing is overwritten: 73")
    func overwrite() throws {
        let store = try filled(3)
        _ = try backup(store)
        #expect(failure { _ = try backup(store) }?.kind == .cannotCreate)
        _ = try restore()
        let before = try contents(of: other.database)
        #expect(failure { _ = try restore() }?.kind == .cannotCreate)
        #expect(try contents(of: other.database) == before)
    }

    @Test("a link that points nowhere is no room for a database: 73, and no start makes one: 74")
    func danglingDatabase() throws {
        _ = try backup(filled(2))
        try other.create()
        #expect(symlink("nowhere", other.database) == 0)
        #expect(failure { _ = try restore() }?.kind == .cannotCreate)
        try FileManager.default.copyItem(atPath: folder.data.masterKey, toPath: other.masterKey)
        let error = failure { _ = try Store.open(Store.Options(directory: other)) }
        #expect(error?.kind == .io)
        #expect(error?.description.contains("a link that points nowhere") == true)
        #expect(!FileManager.default.fileExists(atPath: other.path + "/nowhere"))
        #expect(try names(in: other.path) == ["master.key", "sojourn.db", "sojourn.lock"])
    }

    @Test("a data directory in use is left alone: 75")
    func inUse() throws {
        let store = try filled(3)
        _ = try backup(store)
        // A lock counts for a file description, not for a process.
        let lock = try { () throws(StorageError) in
            try other.create()
            return try other.lock()
        }()
        #expect(failure { _ = try restore() }?.kind == .busy)
        _ = consume lock
    }

    @Test("a backup in which one byte is another is refused, and nothing is placed: 65")
    func damaged() throws {
        let store = try filled()
        try Data((String(repeating: "0a", count: 32) + " 5\n").utf8)
            .write(to: URL(filePath: folder.data.erased))
        _ = try backup(store)
        for name in try names(in: target) where name != BackupManifest.name {
            let path = target + "/" + name
            let whole = try contents(of: path)
            for place in [0, whole.count / 2, whole.count - 1] {
                var data = whole
                data[place] ^= 16
                try data.write(to: URL(filePath: path))
                #expect(failure { _ = try restore() }?.kind == .badData, "\(name) \(place)")
            }
            try FileManager.default.removeItem(atPath: path)
            #expect(failure { _ = try restore() }?.kind == .badData, "without \(name)")
            try whole.write(to: URL(filePath: path))
            #expect(!FileManager.default.fileExists(atPath: other.path))
        }
        // Where it was there before, it stays.
        try FileManager.default.removeItem(atPath: target + "/erased")
        try other.create()
        #expect(failure { _ = try restore() }?.kind == .badData)
        #expect(try names(in: other.path) == ["sojourn.lock"])
    }

    @Test("what is no regular file is refused, and not waited for: 65")
    func kinds() throws {
        _ = try backup(filled(2))
        for name in try names(in: target) {
            let path = target + "/" + name
            let whole = try contents(of: path)
            for kind in ["a pipe", "a directory"] {
                try FileManager.default.removeItem(atPath: path)
                #expect((kind == "a pipe" ? mkfifo(path, 0o600) : mkdir(path, 0o700)) == 0)
                let error = failure { _ = try restore() }
                #expect(error?.kind == .badData, "\(name)")
                let found = "\(path) is no whole backup: it is \(kind)"
                #expect(error?.description.contains(found) == true)
            }
            try FileManager.default.removeItem(atPath: path)
            try whole.write(to: URL(filePath: path))
        }
        #expect(!FileManager.default.fileExists(atPath: other.path))
        // What is there already is not waited for either.
        try other.create()
        #expect(mkfifo(other.erased, 0o600) == 0)
        #expect(
            failure { _ = try restore() }?.description.contains(
                "is a pipe; move it away, and bring back a backup's file erased") == true)
    }

    @Test("of what is longer or shorter than the manifest says not a byte is taken: 65")
    func lengths() throws {
        _ = try backup(filled(2))
        func refused(_ length: Int, _ wanted: Int) {
            let error = failure {
                _ = try Restore(from: target, to: Store.Options(directory: other)).run { _, _ in
                    Issue.record("a byte of it was taken")
                }
            }
            #expect(error?.kind == .badData)
            let found = "it has \(length) bytes, and the manifest says \(wanted)"
            #expect(error?.description.contains(found) == true)
        }
        for name in ["sojourn.db", "erased", "master.key"] {
            let path = target + "/" + name
            let whole = try contents(of: path)
            for length in [whole.count + 1, 1 << 30, 5 << 30, whole.count / 2]
            where length != whole.count {
                #expect(truncate(path, length) == 0)
                refused(length, whole.count)
            }
            try whole.write(to: URL(filePath: path))
        }
        _ = try restore()
    }

    @Test("what grows while it is copied is not what the manifest says")
    func growing() throws {
        let path = folder.path + "/file"
        try Data(count: 3 << 20).write(to: URL(filePath: path))
        var taken = 0
        let digest = try FileDigest.read(path, limit: (2 << 20) + 5) { (bytes, _) in
            taken += bytes.count
        }
        #expect(taken == 2 << 20 && digest.bytes > (2 << 20) + 5)
        #expect(try FileDigest.read(path, limit: 3 << 20).bytes == 3 << 20)
    }

    @Test(
        "a trigger or a view that is not ours is named, and nothing copied or placed: 65",
        arguments: [
            ("trigger back on token", ForeignSchema.trigger),
            ("view mine", "CREATE VIEW mine AS SELECT name FROM app"),
        ])
    func foreign(_ name: String, _ sql: String) throws {
        let store = try filled(2)
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute(sql)
        }
        let refused = failure { _ = try backup(store) }
        #expect(refused?.kind == .badData)
        let there = "\(folder.data.database) is damaged: its \(name) is not sojourn's (drop it if"
        #expect(refused?.description.hasPrefix(there) == true, "\(String(describing: refused))")
        #expect(!FileManager.default.fileExists(atPath: target))
        // As in a copy that an older program has made.
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute(
                "DROP \(name.split(separator: " ").prefix(2).joined(separator: " "))")
        }
        _ = try backup(store)
        try alterCopy(sql)
        let error = failure { _ = try restore() }
        #expect(error?.kind == .badData)
        let found =
            "\(target)/sojourn.db is no whole backup: its \(name) is not sojourn's (drop it in the "
            + "database that it is a copy of, and make another backup); nothing was restored"
        #expect(error?.description.hasPrefix(found) == true, "\(String(describing: error))")
        #expect(!FileManager.default.fileExists(atPath: other.path))
    }

    @Test("a copy whose header somebody changed is named by its own path: 65")
    func changedHeader() throws {
        _ = try backup(filled(2))
        try alterCopy("PRAGMA user_version=7")
        let error = failure { _ = try restore() }
        #expect(error?.kind == .badData)
        let found =
            "\(target)/sojourn.db is no whole backup: somebody changed its user_version (set it back "
            + "with PRAGMA user_version=0 in the database that it is a copy of, and make another backup)"
        #expect(error?.description.hasPrefix(found) == true, "\(String(describing: error))")
    }

    /// Changes the copy's database as SQLite's shell would, and has the manifest say so.
    private func alterCopy(_ sql: String) throws {
        let path = target + "/sojourn.db"
        do {
            let connection = try Connection(path: path, mode: .write)
            try connection.execute(sql)
            try connection.checkpoint(.truncate)
        }
        for suffix in ["-wal", "-shm"] { try FileSystem.remove(path + suffix) }
        var manifest = try BackupManifest.read(in: target)
        manifest.files[.database] = try FileDigest.read(path)
        try Data(manifest.text.utf8).write(to: URL(filePath: target + "/manifest.json"))
    }

    @Test("without the key in it the right one has to be there, or is to be brought")
    func keys() throws {
        let store = try filled(2)
        _ = try backup(store, withKey: false)
        try other.create()
        try Data(count: 32).write(to: URL(filePath: other.masterKey))
        #expect(failure { _ = try restore() }?.kind == .configuration)
        try FileManager.default.removeItem(atPath: other.masterKey)
        #expect(try restore().missingKey == other.masterKey)
        #expect(
            failure { _ = try Store.open(Store.Options(directory: other)) }?.kind == .configuration)
        try FileManager.default.copyItem(atPath: folder.data.masterKey, toPath: other.masterKey)
        try Store.open(Store.Options(directory: other)).close()
    }

    @Test("another key in the data directory than the backup's is not replaced: 78")
    func otherKey() throws {
        _ = try backup(filled(2))
        try other.create()
        let key = Data(count: 32)
        try key.write(to: URL(filePath: other.masterKey))
        #expect(failure { _ = try restore() }?.kind == .configuration)
        #expect(try contents(of: other.masterKey) == key)
    }

    @Test("a key that cannot be placed leaves no copy of itself behind")
    func unplacedKey() throws {
        _ = try backup(filled(2))
        let key = try contents(of: target + "/master.key")
        var options = Store.Options(directory: other)
        // A name that nothing can have: what is written beside it lies in the working directory.
        options.masterKeyFile = ""
        #expect(failure { _ = try Restore(from: target, to: options).run() } != nil)
        let left = try names(in: FileManager.default.currentDirectoryPath).filter {
            $0.hasPrefix(".") && FileManager.default.contents(atPath: $0) == key
        }
        #expect(left == [])
        for name in left { try FileManager.default.removeItem(atPath: name) }
    }

    @Test("one that is ended early leaves nothing that looks whole", arguments: [true, false])
    func ended(isThere: Bool) throws {
        let store = try filled(2000)
        if isThere {
            try FileManager.default.createDirectory(
                atPath: target, withIntermediateDirectories: false)
        }
        var steps = 0
        let error = failure {
            _ = try Backup(of: store, .init(target: target, program: "1", now: 7)).run {
                (_, _) throws(StorageError) in
                steps += 1
                #expect(!FileManager.default.fileExists(atPath: target + "/manifest.json"))
                throw .closed
            }
        }
        #expect(steps == 1)
        #expect(error != nil)
        #expect(FileManager.default.fileExists(atPath: target) == isThere)
        if isThere { #expect(try names(in: target).isEmpty) }
        _ = try backup(store)
    }
}
