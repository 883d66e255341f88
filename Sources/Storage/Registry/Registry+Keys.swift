import Database
import Events

extension Registry {
    /// Adds an ingest key.
    /// - Parameter name: its key id; nil makes one.
    /// - Parameter secret: the symmetric secret or the private key (PKCS#8 DER), already checked to
    ///   fit the profile.
    /// - Throws: `notFound` for the app, `exists`, `invalid`.
    package func addKey(
        name: String? = nil, app appName: String, profile: Profile, algorithm: String?,
        secret: [UInt8]
    ) throws(StorageError) -> IngestKey {
        let name = name ?? RegistryName.make("k")
        try RegistryName.check(name)
        guard profile != .plain else {
            throw .invalid(value: "plain", rule: "its batches are not sealed: it has no keys")
        }
        guard !secret.isEmpty else {
            throw .invalid(value: "an empty secret", rule: "a key has a secret")
        }
        let createdAt = now()
        return try change { [secrets] (connection) throws(StorageError) in
            let app = try Self.requiredApp(appName, connection)
            let known = try connection.prepare("SELECT 1 FROM key WHERE name = ?")
            try known.bind(1, name)
            if try known.step() { throw .exists(.key, name: name) }
            let wrapped = secrets.seal(secret, app: app.name, profile: profile, key: name)
            try RegistryRow(
                name: name,
                content: .key(
                    app: app.name, profile: profile.name, algorithm: algorithm, wrapped: wrapped,
                    createdAt: createdAt, revokedAt: nil)
            ).put(on: connection)
            return IngestKey(
                id: connection.lastInsertedRow, name: name, app: app.id, profile: profile,
                algorithm: algorithm, secret: secret, createdAt: createdAt, revokedAt: nil)
        }
    }

    /// From now on the key's batches are refused. Revoking twice changes nothing.
    /// - Throws: `notFound`.
    package func revokeKey(_ name: String) throws(StorageError) -> IngestKey {
        let moment = now()
        try change { (connection) throws(StorageError) in
            let update = try connection.prepare(
                "UPDATE key SET revoked_at = coalesce(revoked_at, ?) WHERE name = ?")
            try update.bind(1, moment)
            try update.bind(2, name)
            try update.run()
            if connection.changes == 0 { throw .notFound(.key, name: name) }
            try Self.seal(.key, name, connection)
        }
        guard let key = snapshot.key(named: name) else { throw .notFound(.key, name: name) }
        return key
    }
}

/// A key with which devices seal their batches.
package struct IngestKey: Sendable {
    /// What rows call it.
    package let id: Int64
    /// Its key id on the wire: `[A-Za-z0-9_-]{1,32}`, one for all apps.
    package let name: String
    /// Row id of its app.
    package let app: Int64
    /// `aes128gcm`, `jwe` or `legacy`.
    package let profile: Profile
    /// `ECDH-ES` or `RSA-OAEP-256` for `jwe`, else nil.
    package let algorithm: String?
    /// The symmetric secret, or the private key (PKCS#8 DER). Empty where the key is revoked, or was
    /// read without the master key.
    package let secret: [UInt8]
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let createdAt: Int64
    /// Since when it no longer counts.
    package let revokedAt: Int64?

    /// Whether its batches are refused.
    package var isRevoked: Bool { revokedAt != nil }
}
