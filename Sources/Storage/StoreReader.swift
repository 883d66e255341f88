import Database
import Glibc

/// A data directory as a command sees it that only reads, while a server may be running on it.
package final class StoreReader: Sendable {
    /// Where it lies.
    package let directory: DataDirectory
    /// Opens the keys' secrets.
    package let masterKey: MasterKey

    /// Makes nothing, changes nothing, takes no lock.
    /// - Throws: `system` where there is no database, `startCutOff`, `olderSchema`, `newerSchema`, and what can be
    ///   wrong with the key.
    package init(directory: DataDirectory, masterKeyFile: String? = nil) throws(StorageError) {
        self.directory = directory
        let keyPath = masterKeyFile ?? directory.masterKey
        try Self.checkFiles(of: directory)
        masterKey = try MasterKey.read(keyPath, of: directory.database)
        try DatabaseFile(directory, keyPath: keyPath).checkForReading(key: masterKey)
    }

    /// Whether there is something to read.
    package static func checkFiles(of directory: DataDirectory) throws(StorageError) {
        guard try directory.hasDatabase() else {
            throw .system(operation: "open", path: directory.database, errno: ENOENT)
        }
        // It would take a log that is half there for whole, and keep the server from seeing the rest.
        if try FileSystem.status(of: directory.logCopy) != nil {
            throw .startCutOff(path: directory.logCopy)
        }
    }

    /// A new connection for reading; the caller lets one thread at a time use it.
    package func reader(cacheBytes: Int = 8 << 20) throws(StorageError) -> Connection {
        try Connection(path: directory.database, mode: .read, cacheBytes: cacheBytes)
    }

    /// Apps, keys and tokens at this moment.
    package func registry() throws(StorageError) -> RegistrySnapshot {
        try RegistrySnapshot.load(
            from: reader(), version: 1, secrets: SecretWrapping(masterKey))
    }
}
