import Foundation
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage

@Suite("the master key (docs/operation.md)")
struct MasterKeyTests {
    private func kind(_ options: Store.Options) -> StorageError.Kind? {
        failure { _ = try Store.open(options) }?.kind
    }

    @Test("it is made where there is no database, and used again")
    func made() throws {
        let folder = TemporaryFolder()
        let first = try Store.open(folder.options)
        #expect(try contents(of: folder.data.masterKey).count == 32)
        let pepper = first.masterKey.pepper
        #expect(pepper.count == 32)
        #expect(pepper != first.masterKey.wrappingKey && pepper != first.masterKey.checkValue)
        try first.close()
        #expect(try StoreReader(directory: folder.data).masterKey.pepper == pepper)
    }

    @Test("one that is there is used")
    func given() throws {
        let folder = TemporaryFolder()
        try folder.data.create()
        let bytes = Data(0..<32)
        try bytes.write(to: URL(filePath: folder.data.masterKey))
        let store = try Store.open(folder.options)
        #expect(store.masterKey.pepper == MasterKey(bytes: Array(0..<32)).pepper)
        #expect(try contents(of: folder.data.masterKey) == bytes)
    }

    @Test("a database without its key, with a cut, longer or other one is refused with 78")
    func refused() throws {
        let folder = TemporaryFolder()
        try Store.open(folder.options).close()
        let key = URL(filePath: folder.data.masterKey)
        let right = try Data(contentsOf: key)
        let database = try contents(of: folder.data.database)
        for wrong in [right.dropLast(), right + [0], Data(), Data(right.reversed())] {
            try wrong.write(to: key)
            #expect(kind(folder.options) == .configuration)
            #expect(throws: StorageError.self) { _ = try StoreReader(directory: folder.data) }
        }
        try FileManager.default.removeItem(at: key)
        #expect(kind(folder.options) == .configuration)
        #expect(!FileManager.default.fileExists(atPath: folder.data.masterKey))
        #expect(try contents(of: folder.data.database) == database)
        try right.write(to: key)
        #expect(kind(folder.options) == nil)
    }

    @Test("a database that is refused keeps its file and its log as they are")
    func untouched() throws {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .stored)
        // As a killed process leaves them: with frames in the log.
        let other = TemporaryFolder()
        try other.data.create()
        let paths = [other.data.database, other.data.database + "-wal"]
        for path in paths {
            let from = path.replacing(other.data.path, with: folder.data.path)
            try FileManager.default.copyItem(atPath: from, toPath: path)
        }
        try Data(32...63).write(to: URL(filePath: other.data.masterKey))
        let before = try paths.map(contents)
        #expect(before[1].count > 0)
        #expect(kind(other.options) == .configuration)
        #expect(try paths.map(contents) == before)
    }

    @Test("it may lie elsewhere")
    func elsewhere() throws {
        let folder = TemporaryFolder()
        var options = folder.options
        options.masterKeyFile = folder.path + "/credential"
        try Store.open(options).close()
        #expect(try contents(of: folder.path + "/credential").count == 32)
        #expect(!FileManager.default.fileExists(atPath: folder.data.masterKey))
        #expect(kind(folder.options) == .configuration)
    }

    @Test("of many who make it at once all find one and the same, and nothing is left over")
    func race() async throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/key"
        let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 {
                group.addTask {
                    try MasterKey.readOrMake(path, of: "none").pepper
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(keys).count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
    }

    @Test("the purposes are told apart by what is derived (fixed values)")
    func fixed() {
        let key = MasterKey(bytes: Array(repeating: 7, count: 32))
        // HKDF-SHA-256 by another implementation: a change would make every device new.
        #expect(key.pepper.prefix(4) == [7, 221, 54, 107])
        #expect(key.wrappingKey.prefix(4) == [179, 243, 1, 124])
        let keys = [key.pepper, key.wrappingKey, key.repeatKey, key.checkValue]
        #expect(Set(keys).count == keys.count)
    }
}
