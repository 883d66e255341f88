import Foundation
import Testing

/// The rooms of the house and what each may import (docs/design.md, Rooms). One direction: a room
/// stands below everything that imports it.
@Suite("rooms import only what they may")
struct ImportTests {
    /// Modules of the toolchain, by room; what every room may use is in `everywhere`.
    private static let rooms: [String: Set<String>] = [
        "sojourn": ["Commands"],
        "Commands": [
            "ArgumentParser", "Service", "Simulation", "Client", "Reports", "Upkeep", "Storage",
            "Database",
            "Sealing",
            "JSON",
            "Events",
            "FoundationEssentials", "Glibc",
        ],
        "Service": [
            "HTTP1", "Upkeep", "Sockets", "Ingest", "Events", "JSON", "Sealing", "Storage",
            "Database",
            "Reports",
            "Logging",
            "CLinux", "FoundationEssentials", "Glibc", "Dispatch",
        ],
        "Sockets": ["HTTP1", "CLinux", "Glibc", "Dispatch"],
        "HTTP1": [],
        "Ingest": ["Sealing", "Compression", "JSON", "Events"],
        "Sealing": ["COpenSSL", "Glibc"],
        "Compression": ["CZlib", "CDeflate"],
        "JSON": [],
        "Events": [],
        "Columns": ["Events", "Glibc"],
        "Database": ["CSQLite", "Glibc"],
        "SQLiteFiles": ["Database", "Sealing", "CLogBuffer", "CSQLite", "Glibc"],
        "Storage": [
            "Database", "SQLiteFiles", "Columns", "CSQLite", "Events", "Sealing", "Glibc",
            "Dispatch",
        ],
        "Upkeep": [
            "Database", "SQLiteFiles", "Columns", "Storage", "CSQLite", "Events", "Sealing",
            "Glibc",
            "Dispatch",
            "JSON",
        ],
        "Reports": ["Storage", "Database", "Columns", "Events", "JSON", "Glibc", "Dispatch"],
        "Client": ["Sealing", "Compression", "JSON", "CCurl", "Glibc", "Dispatch"],
        "Simulation": ["Client", "JSON", "Glibc", "Dispatch"],
    ]
    /// `Glibc` by its names on other systems comes along with it.
    private static let everywhere: Set<String> = ["Synchronization"]
    private static let elsewhere: Set<String> = ["Musl", "Darwin"]

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func imports(of room: String) throws -> [(file: String, module: String)] {
        let folder = root.appending(path: "Sources/\(room)")
        let files = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var found: [(String, String)] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard let module = module(importedBy: line) else { continue }
                found.append((file.lastPathComponent, module))
            }
        }
        return found
    }

    /// `import X`, `internal import X`, `@preconcurrency import struct X.Y`: X.
    private static func module(importedBy line: Substring) -> String? {
        let words = line.split(separator: " ").map(String.init)
        guard let at = words.firstIndex(of: "import"), words.count > at + 1,
            words[..<at].allSatisfy({
                $0.hasPrefix("@")
                    || ["internal", "package", "public", "private", "fileprivate"].contains($0)
            })
        else { return nil }
        let kinds: Set = ["struct", "class", "enum", "func", "protocol", "typealias", "var", "let"]
        let name =
            kinds.contains(words[at + 1]) && words.count > at + 2 ? words[at + 2] : words[at + 1]
        return name.split(separator: ".").first.map(String.init)
    }

    @Test("a room imports nothing but what stands beside its name", arguments: rooms.keys.sorted())
    func allowed(room: String) throws {
        let own = try #require(Self.rooms[room])
        let allowed = own.union(Self.everywhere).union(own.contains("Glibc") ? Self.elsewhere : [])
        let imports = try Self.imports(of: room)
        for (file, module) in imports {
            #expect(allowed.contains(module), "\(room)/\(file) imports \(module)")
        }
    }

    @Test("every folder of Sources is a room or a C module")
    func complete() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appending(path: "Sources").path)
        let cModules: Set = [
            "CLinux", "CZlib", "CDeflate", "COpenSSL", "CSQLite", "CLogBuffer", "CCurl",
        ]
        #expect(Set(folders).subtracting(cModules) == Set(Self.rooms.keys))
    }

    @Test("the scan sees an import that is there")
    func scanWorks() throws {
        #expect(try Self.imports(of: "sojourn").map(\.module) == ["Commands"])
        #expect(
            Self.module(importedBy: "@preconcurrency import struct Foundation.URL") == "Foundation")
        #expect(Self.module(importedBy: "internal import CSQLite") == "CSQLite")
        #expect(Self.module(importedBy: "// import nothing") == nil)
    }

    @Test("no file of the product holds two things")
    func fileLength() throws {
        let files = try #require(
            FileManager.default.enumerator(
                at: Self.root.appending(path: "Sources"), includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false
            ).count
            #expect(lines <= 401, "\(file.lastPathComponent) has \(lines) lines")
        }
    }
}
