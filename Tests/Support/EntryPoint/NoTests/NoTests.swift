/// SwiftPM looks for an entry point in the folders above targets: this target is here for `XCTMain.swift` above it.
enum NoTests {}
