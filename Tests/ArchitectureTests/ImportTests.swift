import Testing

/// What a room may import of the toolchain and of other packages. What it may import of this package are
/// its dependencies in Package.swift, and nothing else: scripts/test.sh has the build check that.
@Suite("rooms import of the toolchain only what they may")
struct ImportTests {
    private static let allowed: [String: Set<String>] = [
        "Commands": ["ArgumentParser", "FoundationEssentials", "Glibc"],
        "Service": ["Logging", "FoundationEssentials", "Glibc", "Dispatch"],
        "Sockets": ["Glibc", "Dispatch"],
        "Sealing": ["Glibc"],
        "Database": ["Glibc"],
        "SQLiteFiles": ["Glibc"],
        "Columns": ["Glibc"],
        "Storage": ["Glibc", "Dispatch"],
        "Upkeep": ["Glibc", "Dispatch"],
        "TimeZones": ["Glibc"],
        "Reports": ["Glibc", "Dispatch"],
        "Client": ["Glibc"],
        "Simulation": ["Dispatch"],
    ]
    private static let everywhere: Set = ["Synchronization"]

    @Test(
        "a room imports nothing but what stands beside its name", arguments: try Sources.rooms())
    func allowed(room: String) throws {
        let own = Self.allowed[room] ?? []
        let allowed = own.union(Self.everywhere).union(try Sources.modules())
        for (file, module) in try Sources.imports(of: room) {
            #expect(allowed.contains(module), "\(room)/\(file) imports \(module)")
        }
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
