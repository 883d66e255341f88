import Curl
import Foundation
import Testing

@testable import Engine

@Suite("the engine's schema")
struct EngineMigrationTests {
    @Test("the list has every file of the folder, in order")
    func complete() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Migrations/clickhouse")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(EngineMigration.all.map(\.name) == files)
        #expect(EngineMigration.all.map(\.version) == Array(1...Int64(files.count)))
        for step in EngineMigration.all {
            #expect(try Data(contentsOf: folder.appending(path: step.name)) == Data(step.sql))
        }
    }

    @Test("without replicas tables are of plain engines, with them each has its path")
    func engines() throws {
        let step = try #require(EngineMigration.all.first)
        let plain = step.statements(replicas: nil, syncs: false)
        #expect(plain.count == 9)
        #expect(
            plain[0].hasSuffix(
                "ENGINE = ReplacingMergeTree(version) ORDER BY (app, device, batch_id) "
                    + "SETTINGS index_granularity = 1024"))
        #expect(plain[8] == "CREATE TABLE IF NOT EXISTS alive (node String) ENGINE = Memory")
        let replicated = step.statements(replicas: "/sojourn/2", syncs: true)
        #expect(
            replicated[1].contains(
                "ReplicatedReplacingMergeTree('/sojourn/2/arrival', '{replica}', times)"))
        #expect(
            replicated[5].contains(
                "ReplicatedReplacingMergeTree('/sojourn/2/erasure', '{replica}') ORDER BY"))
        #expect(replicated[1].hasSuffix("index_granularity = 1024, fsync_after_insert = 1"))
        #expect(replicated.allSatisfy { !$0.contains("ENGINE(") && !$0.contains("--") })
    }

    @Test("a literal is letters and digits, all else by its bytes")
    func literals() {
        #expect(EngineLiteral.text("aZ9") == "'aZ9'")
        #expect(EngineLiteral.text("a'\\ é\0") == #"'a\x27\x5c\x20\xc3\xa9\x00'"#)
        #expect(EngineURL.escaped("a b/é~") == "a%20b%2F%C3%A9~")
    }

    @Test("addresses of shards and replicas, without credentials")
    func addresses() throws {
        let shards = try EngineAccess.shards(parsing: ["http://a:1 https://b:2", "http://c"])
        #expect(
            shards.map { $0.map(\.origin) } == [["http://a:1", "https://b:2"], ["http://c"]])
        #expect(throws: AddressFailure.self) {
            try EngineAccess.shards(parsing: ["http://a:1", "http://b:1 http://a:1"])
        }
        for text in [
            "", " ", "a:1", "unix:/x", "http://u:s3cret@a", "ftp://a", "http://a/x", "http://a:0",
            "http://a:x", "http://a:99999", "http://a:1 http://a:1/",
        ] {
            do {
                _ = try EngineAccess.shards(parsing: [text])
                Issue.record("\(text) is taken")
            } catch {
                #expect(!"\(error)".contains("s3cret"))
            }
        }
    }
}
