import Ingest
import Storage
import Synchronization

/// The apps, keys and tokens in force, made anew when the registry has changed. Usable from any thread.
final class KeysInForce: Sendable {
    private let registry: Registry
    private let current: Mutex<Directory>

    init(_ registry: Registry) {
        self.registry = registry
        let version = registry.version
        current = Mutex(Directory(registry.snapshot, version: version))
    }

    /// Tells whether a directory is the one in force: one atomic read.
    var version: Int { registry.version }

    var directory: Directory {
        let version = registry.version
        return current.withLock { current in
            if current.version != version {
                current = Directory(registry.snapshot, version: version)
            }
            return current
        }
    }
}
