import Foundation
import Storage

/// A folder of its own for one test, gone with it.
package final class TemporaryFolder: Sendable {
    /// Where it is, without a slash at the end.
    package let path: String

    /// An empty folder that only its owner may enter.
    package init() {
        path = FileManager.default.temporaryDirectory.path + "/sojourn-\(UUID().uuidString)"
        mkdir(path, 0o700)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A data directory that is not there yet.
    package var data: DataDirectory { DataDirectory(path + "/data") }

    /// With generations so small that a few batches are in memory, on their way and in `repeat_key`.
    package var options: Store.Options {
        var options = Store.Options(directory: data)
        options.now = { 1_763_700_000_000 }
        options.limits.batchesPerGeneration = 8
        options.limits.keysPerSlice = 3
        // Whatever else the machine does meanwhile, what waits is one group.
        options.limits.groupNanoseconds = 60_000_000_000
        options.limits.commitsPerGroup = .max
        options.limits.glanceNanoseconds = 60_000_000_000
        return options
    }

    /// The files of the data directory, sorted.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: data.path).sorted()
    }
}

/// The permissions of a file.
package func mode(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    guard let mode = attributes[.posixPermissions] as? NSNumber else {
        throw CocoaError(.fileReadUnknown)
    }
    return mode.intValue
}

/// The bytes of a file.
package func contents(of path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

/// Descriptors of this process that lead to something in the folder: other tests have their own.
package func openDescriptors(in folder: TemporaryFolder) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/" + name)
        return target?.hasPrefix(folder.path) ?? false
    }
}

extension TemporaryFolder {
    /// Which files of the data directory hold these bytes.
    package func files(with bytes: [UInt8]) throws -> [String] {
        try names().filter { name in
            let path = data.path + "/" + name
            guard let content = FileManager.default.contents(atPath: path) else { return false }
            return content.range(of: Data(bytes)) != nil
        }
    }

    /// Which files of the data directory hold this text.
    package func files(with text: String) throws -> [String] { try files(with: Array(text.utf8)) }
}
