import Foundation
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("what a backup's manifest has to be (docs/operation.md, Backup and restore)")
struct BackupManifestTests {
    let folder = TemporaryFolder()
    private var target: String { folder.path + "/copy" }
    private var other: DataDirectory { DataDirectory(folder.path + "/other") }

    private func backup() throws -> BackupManifest {
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        for number in 0..<2 {
            #expect(store.writer.storeAlone(Batches.make("b-\(number)", device: number)) == .stored)
        }
        return try Backup(
            of: store, .init(target: target, withKey: true, program: "1", now: 7)
        ).run()
    }

    private func restore() throws -> Restore.Outcome {
        try Restore(from: target, to: Store.Options(directory: other)).run()
    }

    @Test(
        "a manifest that makes no sense is refused: 65",
        arguments: [
            "", "{", "[]", "{}", #"{"format": 2}"#, #"{"format": 1, "files": []}"#,
            #"{"format": 1, "files": [{"name": "../x", "bytes": 1, "sha256": "00"}]}"#,
            #"{"format": 1, "files": 7}"#, "[[[[",
        ])
    func manifests(_ text: String) throws {
        _ = try backup()
        try Data(text.utf8).write(to: URL(filePath: target + "/manifest.json"))
        #expect(failure { _ = try restore() }?.kind == .badData)
        try FileManager.default.removeItem(atPath: target + "/manifest.json")
        #expect(failure { _ = try restore() }?.kind == .badData)
    }

    @Test(
        "a manifest that tells another number than the database is refused: 65",
        arguments: ["batches", "schema"])
    func differences(_ member: String) throws {
        var manifest = try backup()
        let (told, found): (Int64, Int64) =
            member == "batches" ? (4, 2) : (Migrator().newest - 1, Migrator().newest)
        if member == "batches" { manifest.batches = told } else { manifest.schema = told }
        let path = target + "/manifest.json"
        try Data(manifest.text.utf8).write(to: URL(filePath: path))
        let error = failure { _ = try restore() }
        #expect(error?.kind == .badData)
        let fault = "its \"\(member)\" is \(told), and the database has \(found)"
        #expect(
            error?.description.hasPrefix("\(path) is no whole backup: \(fault);") == true,
            "\(String(describing: error))")
        #expect(!FileManager.default.fileExists(atPath: other.path))
    }

    @Test("nothing is left unread of a manifest, and no member believed that is there twice: 65")
    func wholeManifest() throws {
        let text = try backup().text
        let path = target + "/manifest.json"
        for (changed, found) in [
            (text + String(repeating: " ", count: 65_536), "it has more than 65536 bytes"),
            (text + "{}", "it is no JSON object"), (text + "\0{}", "it is no JSON object"),
            (text.replacing("{\n  \"format\"", with: "{\"batches\": 9, \"format\""), "twice"),
            (text.replacing("{\"name\"", with: "{\"bytes\": 0, \"name\""), "twice"),
        ] {
            #expect(changed != text)
            try Data(changed.utf8).write(to: URL(filePath: path))
            let error = failure { _ = try restore() }
            #expect(error?.kind == .badData)
            #expect(error?.description.contains(found) == true, "\(String(describing: error))")
        }
        try Data((text + String(repeating: " ", count: 60_000)).utf8).write(to: URL(filePath: path))
        _ = try restore()
    }

    @Test(
        "a manifest that lacks one of its members is refused",
        arguments: ["created_at", "devices"])
    func members(_ name: String) throws {
        _ = try backup()
        let path = target + "/manifest.json"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try Data(text.replacing("\"\(name)\"", with: "\"x\"").utf8)
            .write(to: URL(filePath: path))
        #expect(failure { _ = try restore() }?.kind == .badData)
        try Data(text.utf8).write(to: URL(filePath: path))
        _ = try restore()
    }
}
