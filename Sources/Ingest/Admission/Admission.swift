import Events
import Sealing

/// What is known of a batch before its body is read: who posts it to which app, in which form.
package struct Admission: Sendable {
    package let format: BodyFormat
    /// In the path, or the one that the path's key belongs to.
    package let app: AccessList.App
    /// The key in the path of the legacy endpoint; elsewhere the body names it.
    package let pathKey: AccessList.Key?
    /// Row id of the token in the header, where the profile asks for one.
    package let token: Int64?
    /// Its SHA-256.
    private let tokenHash: Digest256?

    /// At `POST /v1/apps/{app}/batches`, once the format is known: what the header proves.
    /// - Parameter authorization: the `Authorization` field's value
    package init(
        app: AccessList.App, format: BodyFormat, authorization: String?, access: AccessList
    ) throws(BatchRefusal) {
        let hasToken = format.profile == .jwe || format.profile == .plain
        try self.init(
            app: app, format: format,
            tokenHash: hasToken ? AccessList.hash(authorization: authorization) : nil,
            access: access)
    }

    /// At `POST /v1/logs`: the token names the app.
    /// - Parameter authorization: the `Authorization` field's value
    package init(
        logs format: BodyFormat, authorization: String?, access: AccessList
    ) throws(BatchRefusal) {
        try self.init(
            logs: format, tokenHash: try AccessList.hash(authorization: authorization),
            access: access)
    }

    private init(
        logs format: BodyFormat, tokenHash: Digest256, access: AccessList
    ) throws(BatchRefusal) {
        guard let app = try access.app(ofIngestToken: tokenHash) else { throw .forbidden }
        try self.init(app: app, format: format, tokenHash: tokenHash, access: access)
    }

    private init(
        app: AccessList.App, format: BodyFormat, tokenHash: Digest256?, access: AccessList
    ) throws(BatchRefusal) {
        var proved: Int64?
        if let tokenHash {
            let token = try access.token(hash: tokenHash)
            guard token.scope == .ingest, token.app == app.id else { throw .forbidden }
            if format.profile == .plain || format.profile == .otlp, !app.allowsPlain {
                throw .plainNotAllowed
            }
            proved = token.id
        }
        self.format = format
        self.app = app
        pathKey = nil
        token = proved
        self.tokenHash = tokenHash
    }

    /// At `POST /v1/legacy/{key}`: holding the key is the proof.
    package init(legacyKey name: String, access: AccessList) throws(BatchRefusal) {
        let key = try access.key(named: name, profile: .legacy, app: nil)
        format = .legacy
        app = key.app
        pathKey = key
        token = nil
        tokenHash = nil
    }

    /// What the same head proves by a later list: a token or a key may have been revoked meanwhile.
    package func renewed(in access: AccessList) throws(BatchRefusal) -> Admission {
        if let pathKey { return try Admission(legacyKey: pathKey.name, access: access) }
        if format.logs != nil, let tokenHash {
            return try Admission(logs: format, tokenHash: tokenHash, access: access)
        }
        return try Admission(
            app: access.app(named: app.name) ?? app, format: format, tokenHash: tokenHash,
            access: access)
    }
}

/// Why a whole batch is refused (docs/protocol.md, The answer). What a client is told of each is
/// the service's table; nothing of the body is in here.
package enum BatchRefusal: Error, Equatable, Sendable {
    case unsupportedMediaType
    case unsupportedEncoding
    case unauthorized
    case forbidden
    case plainNotAllowed
    case unknownKey
    case revokedKey
    /// One for every failure to decrypt, authenticate or inflate.
    case undecodable
    case inflatedTooLarge
    /// No refusal: the body inflates to more, or has more in it, than a worker of provisional limits judges
    /// (`IngestLimits.atMost`). Another worker has to judge it by the limits themselves; a client never gets this.
    case tooMuchHere
    /// The first broken rule of the batch.
    case rule(BatchRule)
    /// Of a request to the logs endpoint: it is not what its encoding says, or says what it must not.
    case malformedProtobuf
    case malformedLogs
    /// The same: it has more records than are taken at once.
    case tooManyRecords
}
