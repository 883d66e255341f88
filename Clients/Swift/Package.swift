// swift-tools-version: 6.2
import PackageDescription

/// An app gets the library and nothing else: the manifest names no package. Whoever works on it sets
/// `CLIENT_DEVELOPMENT`, which adds what Linux needs, the adapter of the judge, and tests.
let isDevelopment = Context.environment["CLIENT_DEVELOPMENT"] != nil

let strict: [SwiftSetting] = isDevelopment ? [.treatAllWarnings(as: .error)] : []
let crypto: [Target.Dependency] =
    isDevelopment
    ? [.product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux]))]
    : []

/// FoundationNetworking is no match for whoever answers, so that Linux posts by libcurl. With this set it
/// posts by URLSession, as Apple's systems do.
let isCurlUsed = Context.environment["CLIENT_URLSESSION"] == nil
let curl: [Target.Dependency] =
    isCurlUsed ? [.target(name: "CCurl", condition: .when(platforms: [.linux]))] : []

let developmentTargets: [Target] = [
    .executableTarget(
        name: "adapter", dependencies: ["SojournClient", "Core", "JSON"], swiftSettings: strict),
    .testTarget(name: "CoreTests", dependencies: ["Core", "JSON"], swiftSettings: strict),
    .testTarget(
        name: "ClientTests", dependencies: ["SojournClient", "Core"] + curl, swiftSettings: strict),
]

let package = Package(
    name: "sojourn-client",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    // Static for those who work on it: what a test compiles by hand links it.
    products: [
        .library(
            name: "SojournClient", type: isDevelopment ? .static : nil,
            targets: ["SojournClient"])
    ],
    dependencies: isDevelopment
        ? [.package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2")] : [],
    targets: [
        .target(
            name: "SojournClient",
            dependencies: [
                "Core", "JSON", .target(name: "CZlib", condition: .when(platforms: [.linux])),
            ] + crypto + curl,
            resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: strict,
            linkerSettings: [.linkedLibrary("z")]),
        // Pure: no Foundation, no file, no clock. Compiles as Embedded Swift (make check-apple).
        .target(name: "Core", dependencies: ["JSON"], swiftSettings: strict),
        .target(name: "JSON", swiftSettings: strict),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    ] + (isDevelopment ? developmentTargets : []),
    swiftLanguageModes: [.v6]
)
