import Database
import Foundation
import Service
import Testing

@testable import Commands

/// docs/operation.md, Backup and restore.
@Suite("copies that a server made")
struct CopyTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "sojourn-copy-\(UUID().uuidString)").path

    private func summary(createdAt: Int64) throws -> BackupSummary {
        let text = """
            {"directory": "\(folder)", "createdAt": \(createdAt), "schema": 1, "batches": 0,
             "events": 0, "devices": 0, "bytes": 0, "withKey": false}
            """
        return try JSONDecoder().decode(BackupSummary.self, from: Data(text.utf8))
    }

    @Test("a copy counts where it is in that folder as the command sees it")
    func visible() throws {
        #expect(throws: AdminFailure.self) { try Administration.requireHere(summary(createdAt: 7)) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(throws: AdminFailure.self) { try Administration.requireHere(summary(createdAt: 7)) }
        let digest = String(repeating: "0", count: 64)
        let files = ["sojourn.db", "erased"].map {
            #"{"name": "\#($0)", "bytes": 0, "sha256": "\#(digest)"}"#
        }
        let manifest = """
            {"format": 1, "created_at": 7, "program": "0", "schema": 1, "batches": 0, "events": 0,
             "devices": 0, "files": [\(files.joined(separator: ", "))]}
            """
        try Data(manifest.utf8).write(to: URL(filePath: folder + "/manifest.json"))
        try Administration.requireHere(summary(createdAt: 7))
        #expect(throws: AdminFailure.self) { try Administration.requireHere(summary(createdAt: 8)) }
    }

    @Test(
        "a folder that the server may write to is advised where it may not, and nowhere else",
        arguments: [
            (EACCES, true), (EPERM, true), (EROFS, true), (ENOSPC, false), (EDQUOT, false),
            (ENOENT, false), (EIO, false),
        ])
    func advice(code: Int32, isForbidden: Bool) throws {
        for error: StorageError in [
            .cannotCreate(path: "/copies/1", errno: code),
            .system(operation: "write", path: "/copies/1", errno: code),
        ] {
            let answer = AdminAnswer.failed(AdminFailure(error))
            let sent = try JSONDecoder().decode(
                AdminAnswer.self, from: JSONEncoder().encode(answer))
            guard case .failed(let failure) = sent else { return #expect(sent == answer) }
            let told = Administration.inServer(failure)
            #expect(told.exit == failure.exit)
            #expect(told.description.contains("its own user, failed: \(error)"))
            #expect(told.description.hasSuffix("that it may write to") == isForbidden)
        }
        let busy = AdminFailure(.busy, "a backup is being made already")
        #expect(Administration.inServer(busy) == busy)
    }
}
