import Foundation
import Testing

@testable import Core
@testable import SojournClient

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

@Suite("What is no file of ours in the folder")
struct FolderTests {
    private let root = NSTemporaryDirectory() + "sojourn-folder-" + UUID().uuidString
    private var outside: String { root + "/outside" }
    private var disk: FolderDisk { FolderDisk(root + "/folder", protect: { _ in }) }

    /// Makes the folder, and beside it a file that is none of ours.
    private func prepare() throws -> FolderDisk {
        try disk.makeFolder()
        try "precious".write(toFile: outside, atomically: false, encoding: .utf8)
        return disk
    }

    private var isOutsideWhole: Bool {
        (try? String(contentsOfFile: outside, encoding: .utf8)) == "precious"
    }

    @Test("a pipe is opened without waiting, read as empty, and replaced")
    func pipe() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let disk = try prepare()
        for name in ["ledger", "ledger.new"] {
            try #require(mkfifo(disk.path + "/" + name, 0o600) == 0)
        }
        #expect(try disk.content("ledger") == [])
        #expect(try disk.contentUnlessHeld("ledger") == .free([]))
        try disk.replace("ledger", with: [1])
        #expect(try disk.content("ledger") == [1])
    }

    @Test("nothing is written through a link")
    func links() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let disk = try prepare()
        for (kind, make) in [("soft", symlink), ("hard", link)] {
            try #require(make(outside, disk.path + "/ledger.new") == 0)
            try disk.replace("ledger", with: [1])
            #expect(isOutsideWhole, "\(kind)")
            #expect(try disk.content("ledger") == [1])
        }
        try #require(symlink(root + "/none", disk.path + "/uploads") == 0)
        let lock = try #require(disk.lock("uploads"))
        disk.close(lock)
        #expect(!FileManager.default.fileExists(atPath: root + "/none"))
    }

    @Test("a folder is put aside")
    func folder() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let disk = try prepare()
        try #require(mkdir(disk.path + "/ledger", 0o700) == 0)
        try #require(rename(outside, disk.path + "/ledger/x") == 0)
        try disk.replace("ledger", with: [1])
        #expect(try disk.content("ledger") == [1])
        #expect(try disk.content("ledger.folder/x")?.count == 8)
    }

    @Test(
        "a folder that lies where a lock or the next file is made is put aside, again and again",
        arguments: ["uploads", "ledger.new", "ledger"])
    func folders(_ name: String) throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let disk = try prepare()
        for round in 0..<3 {
            let folder = disk.path + "/" + name
            try #require(mkdir(folder, 0o700) == 0)
            try "\(round)".write(toFile: folder + "/x", atomically: false, encoding: .utf8)
            try disk.replace("ledger", with: [1])
            #expect(try disk.content("ledger") == [1])
            let lock = try #require(disk.lock("uploads"))
            disk.close(lock)
            for used in ["uploads", "ledger"] { try #require(disk.remove(used)) }
        }
        let aside = try disk.names().filter { $0.hasPrefix(name + ".folder") }
        #expect(try Set(aside.map { try disk.content($0 + "/x") }) == [[48], [49], [50]])
    }

    @Test("a folder is read as empty, and of a file without end a MiB")
    func sizes() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let disk = try prepare()
        try #require(mkdir(disk.path + "/0000000000000001.events", 0o700) == 0)
        #expect(try disk.content("0000000000000001.events") == [])
        try #require(truncate(outside, 8 << 30) == 0)
        try #require(rename(outside, disk.path + "/ledger") == 0)
        #expect(try disk.content("ledger")?.count == 1 << 20)
    }
}
