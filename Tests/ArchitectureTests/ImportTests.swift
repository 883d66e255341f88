import Foundation
import Testing

/// Package.swift is the one table of what a room imports of this package. The build checks it (scripts/test.sh),
/// but sees nothing in rooms that stand on one with embedded resources, as Storage is: so it is compared here
/// too. What a room may import of the toolchain and of other packages stands here alone.
@Suite("rooms import of the toolchain only what they may")
struct ImportTests {
    private static let allowed: [String: Set<String>] = [
        "Commands": ["ArgumentParser", "FoundationEssentials", "Glibc"],
        "Service": ["Logging", "FoundationEssentials", "Glibc", "Dispatch"],
        "Sockets": ["Glibc"],
        "Sealing": ["Glibc"],
        "Curl": ["Glibc"],
        "Database": ["Glibc"],
        "SQLiteFiles": ["Glibc"],
        "Columns": ["Glibc"],
        "Storage": ["Glibc", "Dispatch"],
        "Upkeep": ["Glibc", "Dispatch"],
        "TimeZones": ["Glibc"],
        "Query": ["Glibc", "Dispatch"],
        "Engine": ["Dispatch"],
        "Forwarding": ["Dispatch", "FoundationEssentials"],
        "Client": ["Glibc"],
        "Simulation": ["Dispatch"],
    ]
    private static let everywhere: Set = ["Synchronization"]

    @Test(
        "a room imports nothing but what stands beside its name", arguments: try Sources.rooms())
    func allowed(room: String) throws {
        let own = Self.allowed[room] ?? []
        let allowed = own.union(Self.everywhere).union(try Self.dependencies(of: room))
        for (file, module) in try Sources.imports(of: room) {
            #expect(allowed.contains(module), "\(room)/\(file) imports \(module)")
        }
    }

    /// What Package.swift names as `uses:` of a room.
    private static func dependencies(of room: String) throws -> Set<String> {
        if room == "sojourn" { return ["Commands"] }
        let manifest = try String(
            contentsOf: Sources.root.appending(path: "Package.swift"), encoding: .utf8)
        let start = try #require(
            manifest.firstRange(of: try Regex("\\broom\\(\\s*\"\(room)\"")), "\(room)")
        let rest = manifest[start.upperBound...]
        // Up to the next target.
        let end = rest.firstRange(of: /\n        (room\(|\n)/)?.lowerBound ?? rest.endIndex
        return Set(rest[..<end].matches(of: /"(\w+)"/).map { String($0.output.1) })
    }

    @Test("dependencies are read from the manifest")
    func manifest() throws {
        #expect(try Self.dependencies(of: "HTTP1") == [])
        #expect(try Self.dependencies(of: "Sockets") == ["HTTP1", "CLinux"])
        #expect(try Self.dependencies(of: "Compression") == ["CZlib", "CDeflate"])
        #expect(try Self.dependencies(of: "Service").isSuperset(of: ["HTTP1", "Reports"]))
        // The last is the folder that is embedded.
        #expect(try Self.dependencies(of: "Dashboard") == ["Compression", "Sealing", "Page"])
        #expect(try !Self.dependencies(of: "Service").contains("Compression"))
    }

    @Test("every name of the table is a room that needs what it may have")
    func complete() throws {
        for (room, modules) in Self.allowed {
            let imports = Set(try Sources.imports(of: room).map(\.module))
            #expect(modules.subtracting(imports) == [], "\(room)")
        }
    }

    @Test("the scan sees an import that is there")
    func scanWorks() throws {
        #expect(try Sources.imports(of: "sojourn").map(\.module) == ["Commands"])
        #expect(
            Sources.module(importedBy: "@preconcurrency import struct Foundation.URL")
                == "Foundation")
        #expect(Sources.module(importedBy: "internal import CSQLite") == "CSQLite")
        #expect(Sources.module(importedBy: "// import nothing") == nil)
    }
}
