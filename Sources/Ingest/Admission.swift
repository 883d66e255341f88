import Events
import Sealing

/// What is known of a batch before its body is read: who posts it to which app, in which form.
package struct Admission: Sendable {
    package let format: BodyFormat
    /// In the path, or the one that the path's key belongs to.
    package let app: Directory.App
    /// The key in the path of the legacy endpoint; elsewhere the body names it.
    package let pathKey: Directory.Key?
    /// Row id of the token in the header, where the profile asks for one.
    package let token: Int64?
    /// Its SHA-256.
    private let tokenHash: Digest256?

    /// At `POST /v1/apps/{app}/batches`, once the format is known: what the header proves.
    /// - Parameter authorization: the `Authorization` field's value
    package init(
        app: Directory.App, format: BodyFormat, authorization: String?, directory: Directory
    ) throws(Refusal) {
        let hasToken = format.profile == .jwe || format.profile == .plain
        try self.init(
            app: app, format: format,
            tokenHash: hasToken ? Directory.hash(authorization: authorization) : nil,
            directory: directory)
    }

    private init(
        app: Directory.App, format: BodyFormat, tokenHash: Digest256?, directory: Directory
    ) throws(Refusal) {
        var proved: Int64?
        if let tokenHash {
            let token = try directory.token(hash: tokenHash)
            guard token.scope == .ingest, token.app == app.id else { throw .forbidden }
            if format.profile == .plain, !app.allowsPlain { throw .plainNotAllowed }
            proved = token.id
        }
        self.format = format
        self.app = app
        pathKey = nil
        token = proved
        self.tokenHash = tokenHash
    }

    /// At `POST /v1/legacy/{key}`: holding the key is the proof.
    package init(legacyKey name: String, directory: Directory) throws(Refusal) {
        let key = try directory.key(named: name, profile: .legacy, app: nil)
        format = .legacy
        app = key.app
        pathKey = key
        token = nil
        tokenHash = nil
    }

    /// What the same head proves by a later directory: a token or a key may have been revoked meanwhile.
    package func renewed(in directory: Directory) throws(Refusal) -> Admission {
        if let pathKey { return try Admission(legacyKey: pathKey.name, directory: directory) }
        return try Admission(
            app: directory.app(named: app.name) ?? app, format: format, tokenHash: tokenHash,
            directory: directory)
    }
}
