import Foundation

/// A folder mounted read-only for a time, as a rescue system or a container may have it.
package enum ReadOnlyMount {
    /// Whether this process may mount at all: root may, outside of most containers.
    package static let isPossible: Bool = {
        let folder =
            FileManager.default.temporaryDirectory.path + "/sojourn-mount-\(UUID().uuidString)"
        guard mkdir(folder, 0o700) == 0 else { return false }
        defer { rmdir(folder) }
        return (try? with(folder) { access(folder, W_OK) != 0 && errno == EROFS }) ?? false
    }()

    package struct Refused: Error {}

    /// Runs `body` while nothing in the folder can be changed.
    package static func with<T>(_ folder: String, _ body: () throws -> T) throws -> T {
        guard run("mount", "--bind", folder, folder) else { throw Refused() }
        defer { _ = run("umount", "--lazy", folder) }
        guard run("mount", "-o", "remount,bind,ro", folder) else { throw Refused() }
        return try body()
    }

    private static func run(_ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
