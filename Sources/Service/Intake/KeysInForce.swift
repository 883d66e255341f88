import Ingest
import Sealing
import Storage
import Synchronization

/// The apps, keys and tokens in force, made anew when the registry has changed. Usable from any thread.
final class KeysInForce: Sendable {
    private let registry: Registry
    private let current: Mutex<AccessList>

    init(_ registry: Registry) {
        self.registry = registry
        let version = registry.version
        current = Mutex(AccessList(registry.snapshot, version: version))
    }

    /// Whether a directory is the one in force: one atomic read.
    var version: Int { registry.version }

    var directory: AccessList {
        let version = registry.version
        return current.withLock { current in
            if current.version != version {
                current = AccessList(registry.snapshot, version: version)
            }
            return current
        }
    }
}

extension AccessList {
    /// What ingest needs of the registry, of that version. A key whose secret cannot be read opens
    /// nothing and is left out.
    init(_ snapshot: RegistrySnapshot, version: Int = 0) {
        let apps = snapshot.apps.map { app in
            App(id: app.id, name: app.name, allowsPlain: app.allowsPlain)
        }
        let byID = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
        let keys = snapshot.keys.compactMap { key -> Key? in
            guard let app = byID[key.app] else { return nil }
            let material =
                key.isRevoked
                ? KeyMaterial.symmetric([])
                : try? KeyMaterial(stored: key.secret.span, as: .init(key))
            guard let material else { return nil }
            return Key(
                id: key.id, name: key.name, app: app, profile: key.profile,
                isRevoked: key.isRevoked, material: material)
        }
        let tokens = snapshot.tokens.map { token in
            (
                token.hash,
                Grant(
                    id: token.id, scope: token.scope, app: token.app, isRevoked: token.isRevoked)
            )
        }
        self.init(
            apps: apps, keys: keys, tokens: Dictionary(tokens) { first, _ in first },
            version: version)
    }
}

extension KeyMaterial.Kind {
    /// What a stored key is.
    init(_ key: IngestKey) {
        switch key.profile {
        case .legacy: self = .legacy
        case .jwe: self = .jwe(key.algorithm.flatMap(KeyAlgorithm.init(rawValue:)))
        case .aes128gcm, .plain, .otlp: self = .aes128gcm
        }
    }
}
