import Foundation
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("verify looks whether erased has all that was carried out (docs/operation.md, Verify)")
struct ReceiptCheckTests {
    let folder = TemporaryFolder()

    init() throws {
        let store = try Store.open(folder.options)
        let app = try store.registry.addApp("shop")
        for device in 1...3 {
            _ = store.writer.storeAlone(Batches.make("b-\(device)", device: device))
        }
        for device in 1...2 {
            #expect(try store.erase(Batches.device(device), of: app)?.batches == 1)
        }
        try store.close()
    }

    private func verify() throws -> [String] {
        try Verification(folder.data).run().findings.map(\.description)
    }

    private func change(_ change: (inout Data) -> Void) throws {
        var text = try contents(of: folder.data.erased)
        change(&text)
        try text.write(to: URL(filePath: folder.data.erased))
    }

    @Test("one that was cut, wherever, lacks bytes", arguments: [1, 2, 40, 79, 80, 157, 158])
    func cut(_ count: Int) throws {
        #expect(try verify() == [])
        #expect(try contents(of: folder.data.erased).count == 158)
        try change { $0 = $0.dropLast(count) }
        let findings = try verify()
        #expect(findings.contains { $0.contains("lacks \(count) bytes") }, "\(findings)")
    }

    @Test("one that is gone lacks all")
    func gone() throws {
        try FileSystem.remove(folder.data.erased)
        #expect(try verify().count == 1)
    }

    @Test("what was lost stays told, through starts and erasures, until it is back")
    func goesOn() throws {
        let whole = try contents(of: folder.data.erased)
        try change { $0 = $0.dropLast(9) }
        for _ in 0..<2 {
            try Store.open(folder.options).close()
            #expect(try verify().contains { $0.contains("lacks") })
        }
        var store = try Store.open(folder.options)
        let app = try #require(store.registry.snapshot.app(named: "shop"))
        #expect(try store.erase(Batches.device(3), of: app)?.batches == 1)
        #expect(try verify().map { $0.contains("lacks 79 bytes") } == [true])
        try store.close()
        try Store.open(folder.options).close()
        #expect(try verify().map { $0.contains("lacks 79 bytes") } == [true])
        // Before the others: where it stood.
        try change { $0 = whole + $0.dropFirst(79) }
        #expect(try verify() == [])
        store = try Store.open(folder.options)
        #expect(try store.reader().fact(Erasure.lostBytes) == 0)
        try store.close()
        #expect(try verify() == [])
    }

    @Test("what is lost while a server runs is told behind its next erasure too")
    func lostBeside() throws {
        let store = try Store.open(folder.options)
        let app = try #require(store.registry.snapshot.app(named: "shop"))
        try change { $0 = $0.dropLast(1) }
        #expect(try store.erase(Batches.device(3), of: app)?.batches == 1)
        #expect(try contents(of: folder.data.erased).count == 158)
        #expect(try verify().map { $0.contains("lacks 79 bytes") } == [true])
        try store.close()
    }

    @Test(
        "a receipt that a crash cut off is told, holds up no start, and goes with the next erasure")
    func crash() throws {
        try change { $0 += $0.prefix(50) }
        try Store.open(folder.options).close()
        #expect(
            try verify() == [
                "line 3 of \(folder.data.erased) is no receipt of an erasure; "
                    + "bring this line back from a backup's file erased, or take it out"
            ])
        let store = try Store.open(folder.options)
        let app = try #require(store.registry.snapshot.app(named: "shop"))
        #expect(try store.erase(Batches.device(3), of: app)?.batches == 1)
        try store.close()
        #expect(try verify() == [])
    }

    @Test("a receipt of which only the end is missing")
    func withoutEnd() throws {
        try change { $0 += $0.prefix(78) }
        #expect(try verify().map { $0.contains("line 3") && $0.contains("has no end") } == [true])
    }
}
