import Foundation
import StoreTestSupport
import Testing

@testable import Storage
@testable import Upkeep

/// A database of every earlier version with data in it, brought up to date: `Fixtures/NNNN.sql` has the
/// rows, as the program of that version wrote them.
@Suite("databases of earlier versions")
struct EarlierVersionTests {
    /// SHA-256 of the steps that have been released. Such a step never changes again; each release adds
    /// its own here.
    static let released: [Int64: String] = [
        1: "9c386286bc4677767b5812c5288b4c53bceebd7600ab0993c98063d8d65bf6fe",
        2: "ef0f77335ac79e52c462b5820130870ef2404de4be196e2f38cd660496619194",
        3: "d292ea2bae785069b912e3774960a520e6e8f139a4adc72517c38985ca4ab374",
        4: "ba38d337c3197fa59068abf7cca67d9328b63177016a691089aa56f1eb2cfc4c",
        5: "5ac5c77e9c45c856f8efc9b258af3aaf82ffe2e711a09388199bd5a1b75fcfca",
        6: "e2dec1c3e5cfcabd0eaa4e493bb8ed064bc91a20f96f783e992d4acb364fb66e",
        7: "a4ebac8f74a42aa78e101257a6591e50836b44c62e8246f2d251725f1686fdb9",
        8: "3bb07671e3e3e023c87e58c50e6dd78b553c8a6cf2116fa63630f1a12281649a",
    ]

    @Test("a released step is what it was", arguments: Migration.all.map(\.version))
    func unchanged(version: Int64) throws {
        let step = try #require(Migration.all.first { $0.version == version })
        guard let sha256 = Self.released[version] else {
            // Only the newest can be in the making.
            #expect(version == Migration.all.last?.version)
            return
        }
        #expect(step.checksum.map { String(format: "%02x", $0) }.joined() == sha256)
    }

    @Test("opens, migrates and verifies", arguments: Migration.all.map(\.version))
    func migrates(from version: Int64) throws {
        let folder = TemporaryFolder()
        try EarlierVersion.make(version, in: folder)
        let store = try Store.open(folder.options)
        #expect(Int64(store.migrated) == Migrator().newest - version)
        let events = try store.reader().integer("SELECT count(*) FROM event")
        #expect(store.registry.snapshot.keys.count == 2)
        try store.close()
        let outcome = try Verification(folder.data).run()
        #expect(outcome.findings == [])
        #expect(Int64(outcome.events) == events && outcome.events > 0)
        #expect(try mode(of: folder.data.database) == 0o600)
    }
}
