// swift-tools-version: 6.3
import Foundation
import PackageDescription

/// What every Swift target is compiled with: a warning is an error.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// Set by `scripts/build-tests.sh` and `make check`: a build that is only tested.
let isForTests = ProcessInfo.processInfo.environment["FOR_TESTS"] != nil

/// Rooms through which each request goes. Builds for tests check at run time that no two accesses to one
/// variable overlap; in what is shipped these rooms do without that check, which cost a small batch a thirtieth of its
/// instructions (docs/decisions/0061-small-batches.md).
let busy: [SwiftSetting] =
    isForTests
    ? strict
    : strict + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

/// Rooms in which tests spend their time, on random populations: optimized in debug builds too, with all
/// assertions. Tests of reports took over a quarter of an hour without, where they take three minutes with it.
let computing: [SwiftSetting] =
    strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

/// A room of the house: what it may import is what stands here (docs/design.md, "Rooms").
func room(
    _ name: String, uses: [Target.Dependency] = [], exclude: [String] = [],
    plugins: [Target.PluginUsage] = [], resources: [Resource] = [],
    settings: [SwiftSetting] = strict
) -> Target {
    .target(
        name: name, dependencies: uses, exclude: exclude, resources: resources,
        swiftSettings: settings, plugins: plugins)
}

func tests(
    of name: String, uses: [Target.Dependency] = [], exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.init(stringLiteral: name)] + uses,
        exclude: exclude, resources: resources, swiftSettings: strict)
}

/// libdeflate inflates faster than zlib and is used where the machine that builds has it.
let hasLibdeflate =
    ["/usr/include/libdeflate.h", "/usr/local/include/libdeflate.h"]
    .contains { FileManager.default.fileExists(atPath: $0) }
    && ProcessInfo.processInfo.environment["WITHOUT_LIBDEFLATE"] == nil

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// Parsers under a fuzzer, for `make fuzz` alone: what links them has to bring libFuzzer's `main`.
let fuzzTargets: [Target] =
    ProcessInfo.processInfo.environment["FUZZ"] == nil
    ? []
    : [
        .target(name: "FuzzSupport", path: "Fuzz/Support", swiftSettings: strict),
        fuzzer("http1", "Fuzz/HTTP1", uses: ["HTTP1"]),
        fuzzer("json", "Fuzz/JSON", uses: ["JSON", "Ingest", "Events"]),
        fuzzer("gzip", "Fuzz/Gzip", uses: ["Compression"]),
        fuzzer("rfc8188", "Fuzz/RFC8188", uses: ["Sealing"]),
        fuzzer("jwe", "Fuzz/JWE", uses: ["Sealing", "TestSupport"]),
        fuzzer("otlp", "Fuzz/OTLP", uses: ["Ingest", "Events", "Sealing"]),
    ]

func fuzzer(_ name: String, _ path: String, uses: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "fuzz-" + name, dependencies: ["FuzzSupport"] + uses, path: path,
        swiftSettings: strict)
}

/// An entry point for tests, beside a target without any: where SwiftPM finds one it does not look for XCTest's classes,
/// of which there are none, in an index that costs an eighth of the build. `swift test` wants to have looked.
let testEntryPoint: [Target] =
    isForTests
    ? [
        .testTarget(
            name: "NoTests", path: "Tests/Support/EntryPoint/NoTests", swiftSettings: strict)
    ] : []

/// What the stages of ingest cost, for `make bench` alone.
let benchmarkTargets: [Target] =
    ProcessInfo.processInfo.environment["BENCHMARKS"] == nil
    ? []
    : [
        .target(name: "CAllocations", path: "Benchmarks/Allocations"),
        .executableTarget(
            name: "stages",
            dependencies: [
                "CAllocations", "HTTP1", "Ingest", "Sealing", "Compression", "Events", "Storage",
                "Upkeep",
            ], path: "Benchmarks/Stages", swiftSettings: strict),
    ]

let package = Package(
    name: "sojourn",
    products: [.executable(name: "sojourn", targets: ["sojourn"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        // The way of a batch, in order.
        .executableTarget(name: "sojourn", dependencies: ["Commands"], swiftSettings: strict),
        room(
            "Commands",
            uses: [
                "Service", "Forwarding", "Engine", "Simulation", "Truth", "Client", "Curl",
                "Reports", "Query", "Upkeep",
                "Storage", "Database", "Sealing", "TimeZones", "JSON", "Events", arguments,
            ]),
        room(
            "Service",
            uses: [
                "HTTP1", "Sockets", "Ingest", "Events", "JSON", "Protobuf", "Sealing", "Database",
                "Storage",
                "Upkeep", "Query", "Reports", "TimeZones", "Dashboard", "Forwarding", "EngineQuery",
                "Engine", "Curl", "CLinux", logging,
            ], settings: busy),
        room("Sockets", uses: ["HTTP1", "CLinux"], settings: busy),
        room("HTTP1"),
        room(
            "Ingest", uses: ["Sealing", "Compression", "JSON", "Protobuf", "Events"], settings: busy
        ),
        room("Sealing", uses: ["COpenSSL", "JSON"], settings: busy),
        room("Compression", uses: ["CZlib"] + (hasLibdeflate ? ["CDeflate"] : [])),
        room("JSON", settings: computing),
        room("Protobuf"),
        room("Events"),
        room("Curl", uses: ["CCurl"]),
        room("Database", uses: ["CSQLite", "CPageCache"], settings: computing),
        room("SQLiteFiles", uses: ["Database", "Sealing", "CLogBuffer", "CSQLite"]),
        room("Columns", uses: ["Events"], settings: computing),
        room(
            "Storage",
            uses: ["Database", "SQLiteFiles", "Columns", "CSQLite", "Events", "Sealing"],
            resources: [.embedInCode("Migrations")], settings: computing),
        room(
            "Upkeep",
            uses: [
                "Storage", "SQLiteFiles", "Database", "Columns", "CSQLite", "Events", "Sealing",
            ]),
        room("TimeZones", settings: computing),
        room(
            "Query", uses: ["Storage", "Database", "Columns", "Events", "JSON", "TimeZones"],
            settings: computing),
        room("Engine", uses: ["Curl"], resources: [.embedInCode("Schema/Migrations")]),
        room(
            "Forwarding",
            uses: [
                "Engine", "Curl", "Upkeep", "Storage", "Database", "Columns", "Events", "JSON",
                "Sealing",
            ]),
        room("EngineQuery", uses: ["Query", "Engine", "TimeZones", "Events", "JSON"]),
        room("Reports", uses: ["Query", "Events", "JSON", "TimeZones"]),
        room(
            "Dashboard", uses: ["Compression", "Sealing"], resources: [.embedInCode("Page")]),
        room("Client", uses: ["Curl", "Sealing", "Compression", "JSON"]),
        room("Simulation", uses: ["Client", "Curl", "Truth", "JSON", "TimeZones"]),
        room("Truth", uses: ["Client", "JSON", "TimeZones"]),

        // C libraries, and the shims that Swift needs for them.
        .target(name: "CLinux"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CLogBuffer", dependencies: ["CSQLite"]),
        .target(name: "CPageCache", dependencies: ["CSQLite"]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        // A disk that fails on order, for tests alone.
        .target(
            name: "CFaultVFS", dependencies: ["CSQLite"], path: "Tests/Support/CFaultVFS"),
        // What more than one of the targets below needs.
        .target(name: "TestSupport", path: "Tests/Support/TestSupport", swiftSettings: strict),
        .target(
            name: "ClientTestSupport", dependencies: ["Client"],
            path: "Tests/Support/ClientTestSupport", swiftSettings: strict),
        .target(
            name: "StoreTestSupport",
            dependencies: [
                "Database", "SQLiteFiles", "Columns", "Storage", "Upkeep", "Query", "Events",
                "TestSupport",
            ],
            path: "Tests/Support/StoreTestSupport", swiftSettings: strict),
        .target(
            name: "EngineTestSupport", dependencies: ["Engine", "Curl"],
            path: "Tests/Support/EngineTestSupport", swiftSettings: strict),

        tests(of: "HTTP1"),
        tests(of: "Sockets", uses: ["HTTP1", "CLinux", "TestSupport"]),
        tests(of: "Ingest", uses: ["Sealing", "Compression", "JSON", "Events", "TestSupport"]),
        tests(of: "Sealing", uses: ["TestSupport"]),
        tests(of: "Compression", uses: ["TestSupport"]),
        tests(of: "JSON", uses: ["TestSupport"]),
        tests(of: "Protobuf", uses: ["TestSupport"]),
        tests(of: "Events"),
        tests(of: "Database", uses: ["CPageCache", "CSQLite", "StoreTestSupport"]),
        tests(of: "Columns", uses: ["Events", "TestSupport"]),
        tests(
            of: "Storage",
            uses: [
                "Database", "SQLiteFiles", "Columns", "Upkeep", "Events", "Sealing", "CSQLite",
                "CFaultVFS", "TestSupport", "StoreTestSupport",
            ],
            exclude: ["Fixtures"]),
        tests(
            of: "Upkeep",
            uses: [
                "Storage", "SQLiteFiles", "Database", "Events", "CSQLite", "TestSupport",
                "StoreTestSupport",
            ]),
        tests(of: "TimeZones"),
        tests(
            of: "Query",
            uses: [
                "Storage", "Database", "Columns", "Events", "TimeZones", "TestSupport",
                "StoreTestSupport",
            ]),
        tests(of: "Engine", uses: ["Curl", "TestSupport"]),
        tests(
            of: "Forwarding",
            uses: [
                "Engine", "Query", "Storage", "Upkeep", "Database", "Events", "JSON", "TestSupport",
                "StoreTestSupport",
            ]),
        tests(
            of: "EngineQuery",
            uses: [
                "Query", "Engine", "Curl", "Forwarding", "Upkeep", "Storage", "Database", "Sealing",
                "Events", "JSON", "TimeZones", "TestSupport", "StoreTestSupport",
                "EngineTestSupport",
            ]),
        tests(
            of: "Reports",
            uses: [
                "Query", "Storage", "Upkeep", "Database", "Columns", "Events", "JSON",
                "TimeZones", "Sealing", "EngineQuery", "Engine", "Forwarding", "TestSupport",
                "StoreTestSupport", "EngineTestSupport",
            ]),
        tests(of: "Dashboard", uses: ["Compression", "Sealing"]),
        tests(of: "Curl", uses: ["TestSupport"]),
        tests(
            of: "Client",
            uses: ["Curl", "Sealing", "Compression", "JSON", "ClientTestSupport", "TestSupport"]),
        tests(
            of: "Simulation",
            uses: [
                "Client", "Curl", "Sealing", "Compression", "ClientTestSupport", "TestSupport",
            ]),
        tests(of: "Truth", uses: ["Client", "TimeZones"]),
        tests(
            of: "Service",
            uses: [
                "HTTP1", "Database", "Storage", "Upkeep", "Query", "Events", "Ingest", "JSON",
                "Sealing", "Compression", "Dashboard", "TestSupport", "Engine", "Forwarding",
                "EngineTestSupport",
            ]),
        tests(
            of: "Commands",
            uses: [
                "Client", "Service", "Database", "Query", "Storage", "Upkeep", "Events", "Sealing",
                "TestSupport",
            ]),
        .testTarget(name: "ArchitectureTests", swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["sojourn", "Client", "Truth", "TimeZones", "TestSupport"],
            exclude: ["clients"],
            swiftSettings: strict),
    ]
        + (hasLibdeflate
            ? [
                .systemLibrary(
                    name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]
                )
            ]
            : []) + fuzzTargets + benchmarkTargets + testEntryPoint,
    swiftLanguageModes: [.v6]
)

/// Rooms that are built with what they import and their tests, and nothing else: ROOMS="JSON Ingest", of `make check`.
/// All where it is not set; the fuzzers alone for `make fuzz`, where libFuzzer's `main` is no other program's.
let rooms =
    fuzzTargets.isEmpty
    ? ProcessInfo.processInfo.environment["ROOMS"]?.split(separator: " ").map(String.init)
    : fuzzTargets.map(\.name)
if let rooms {
    var open = rooms.flatMap { [$0, $0 + "Tests"] } + testEntryPoint.map(\.name)
    var found: Set<String> = []
    while let name = open.popLast() {
        guard found.insert(name).inserted,
            let target = package.targets.first(where: { $0.name == name })
        else { continue }
        for case .byNameItem(let name, _) in target.dependencies { open.append(name) }
    }
    package.targets.removeAll { !found.contains($0.name) }
    if !found.contains("sojourn") { package.products = [] }
}
