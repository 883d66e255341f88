import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Storage

/// A folder of its own for one test, gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/sojourn-\(UUID().uuidString)"
        mkdir(path, 0o700)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A data directory that is not there yet.
    var data: DataDirectory { DataDirectory(path + "/data") }

    /// With generations so small that a few batches are in memory, on their way and in `repeat_key`.
    var options: Store.Options {
        var options = Store.Options(directory: data)
        options.now = { 1_763_700_000_000 }
        options.limits.batchesPerGeneration = 8
        options.limits.keysPerSlice = 3
        // Whatever else the machine does meanwhile, what waits is one group.
        options.limits.groupNanoseconds = 60_000_000_000
        options.limits.glanceNanoseconds = 60_000_000_000
        return options
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: data.path).sorted()
    }
}

func mode(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? NSNumber).intValue
}

func contents(of path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

/// Descriptors of this process that lead to something in the folder: other tests have their own.
func openDescriptors(in folder: TemporaryFolder) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/" + name)
        return target?.hasPrefix(folder.path) ?? false
    }
}

/// Runs `body` on a thread with a umask of its own.
func withUmask<T: Sendable>(_ mask: mode_t, _ body: @escaping @Sendable () throws -> T) throws -> T
{
    let result = Mutex<Result<T, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        // Before it the umask is all threads'. The header hides it from Swift.
        typealias Unshare = @convention(c) (Int32) -> Int32
        let cloneFS: Int32 = 0x200
        let isOwn =
            dlsym(dlopen(nil, RTLD_NOW), "unshare")
            .map { unsafeBitCast($0, to: Unshare.self)(cloneFS) == 0 } ?? false
        if isOwn { umask(mask) }
        let outcome = Result { () throws -> T in
            try #require(isOwn)
            return try body()
        }
        result.withLock { $0 = outcome }
        done.signal()
    }
    done.wait()
    return try #require(result.withLock { $0 }).get()
}

extension TemporaryFolder {
    /// Which files of the data directory hold these bytes.
    func files(with bytes: [UInt8]) throws -> [String] {
        try names().filter { name in
            let path = data.path + "/" + name
            guard let content = FileManager.default.contents(atPath: path) else { return false }
            return content.range(of: Data(bytes)) != nil
        }
    }

    func files(with text: String) throws -> [String] { try files(with: Array(text.utf8)) }
}
