import Database
import Storage
import Upkeep

/// An app as the commands show it.
package struct AppSummary: Codable, Sendable, Equatable {
    package let app: String
    package let title: String
    package let timeZone: String
    /// Milliseconds.
    package let sessionTimeout: Int64
    package let allowPlain: Bool

    package var members: [(String, JSONValue)] {
        [
            ("app", .text(app)), ("name", .text(title)), ("time_zone", .text(timeZone)),
            ("session_timeout_s", .seconds(milliseconds: sessionTimeout)),
            ("allow_plain", .bool(allowPlain)),
        ]
    }
}

/// An ingest key as the commands show it.
package struct KeySummary: Codable, Sendable, Equatable {
    package let key: String
    package let app: String
    package let profile: String
    package var algorithm: String?
    /// Base64url of a symmetric secret that was made just now; never shown again.
    package var secret: String?
    /// The public half of a `jwe` key, JSON text.
    package var publicJWK: String?
    /// Milliseconds since 1970; nil while it is active, and in the answer to `key add`.
    package var createdAt: Int64?
    package var revokedAt: Int64?
    /// How many stored batches came under it, and when the last one arrived; in `key list` only.
    package var batches: Int64?
    package var lastUsedAt: Int64?

    package var members: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("key", .text(key)), ("app", .text(app)), ("profile", .text(profile)),
        ]
        if let algorithm { members.append(("alg", .text(algorithm))) }
        if let secret { members.append(("secret", .text(secret))) }
        if let publicJWK { members.append(("public_jwk", .raw(publicJWK))) }
        if let createdAt {
            members.append(("created_at", .integer(createdAt)))
            members.append(("revoked_at", revokedAt.map(JSONValue.integer) ?? .null))
        }
        if let batches {
            members.append(("batches", .integer(batches)))
            members.append(("last_used_at", lastUsedAt.map(JSONValue.integer) ?? .null))
        }
        return members
    }
}

/// A token as the commands show it.
package struct TokenSummary: Codable, Sendable, Equatable {
    /// The token itself, in the answer to `token add` only.
    package var token: String?
    package let id: String
    package let scope: String
    package let app: String?
    package var createdAt: Int64?
    package var revokedAt: Int64?

    package var members: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = token.map { [("token", .text($0))] } ?? []
        members += [
            ("id", .text(id)), ("scope", .text(scope)), ("app", app.map(JSONValue.text) ?? .null),
        ]
        if let createdAt {
            members.append(("created_at", .integer(createdAt)))
            members.append(("revoked_at", revokedAt.map(JSONValue.integer) ?? .null))
        }
        return members
    }
}

/// What an erasure removed, as the command shows it.
package struct ErasureSummary: Codable, Sendable, Equatable {
    package let app: String
    /// Its hash, in hex.
    package let device: String
    /// Many devices sent its id, and what all of them sent is gone.
    package let isShared: Bool
    package let batches: Int64
    package let events: Int64
    /// Nothing of it is left in WAL or file; false while a reader holds the WAL up.
    package let isClean: Bool

    package var members: [(String, JSONValue)] {
        [
            ("app", .text(app)), ("device", .text(device)), ("shared", .bool(isShared)),
            ("batches", .integer(batches)), ("events", .integer(events)),
            ("clean", .bool(isClean)),
        ]
    }
}

/// What a prune did, as the command shows it.
package struct PruneSummary: Codable, Sendable, Equatable {
    /// The limit, milliseconds since 1970.
    package let before: Int64
    /// Events that were deleted.
    package let events: Int64
    /// Bytes that the database is smaller; nil where that is not known, as of an engine's disks.
    package let freedBytes: Int64?
    /// Batches that kept their events, since they are not what was written.
    package let damaged: Int64

    package var members: [(String, JSONValue)] {
        [
            ("before", .integer(before)), ("events", .integer(events)),
        ] + (freedBytes.map { [("freed_bytes", .integer($0))] } ?? [])
            + (damaged == 0 ? [] : [("damaged", .integer(damaged))])
    }
}

extension AdminFailure {
    package init(_ error: StorageError) {
        self.init(
            ExitStatus(rawValue: error.kind.exitCode) ?? .software, error.description,
            isForbidden: error.isForbidden ? true : nil)
    }
}

extension AppChange {
    init(_ change: AdminOperation.AppChange) {
        self.init(
            title: change.title, timeZone: change.timeZone, sessionTimeout: change.sessionTimeout,
            allowsPlain: change.allowPlain)
    }
}

extension AppSummary {
    package init(_ app: App) {
        self.init(
            app: app.name, title: app.title, timeZone: app.timeZone,
            sessionTimeout: app.sessionTimeout, allowPlain: app.allowsPlain)
    }
}

extension KeySummary {
    package init(_ key: IngestKey, app: String) {
        self.init(
            key: key.name, app: app, profile: key.profile.name, algorithm: key.algorithm,
            createdAt: key.createdAt, revokedAt: key.revokedAt)
    }
}

extension TokenSummary {
    package init(_ token: AccessToken, app: String?) {
        self.init(
            token: nil, id: token.name, scope: token.scope.rawValue, app: app,
            createdAt: token.createdAt, revokedAt: token.revokedAt)
    }
}
