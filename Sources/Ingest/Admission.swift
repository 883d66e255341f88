import Events

/// What is known of a batch before its body is read: who posts it to which app, in which form.
package struct Admission: Sendable {
    package let format: BodyFormat
    /// In the path, or the one that the path's key belongs to.
    package let app: Directory.App
    /// The key in the path of the legacy endpoint; elsewhere the body names it.
    package let pathKey: Directory.Key?
    /// Row id of the token in the header, where the profile asks for one.
    package let token: Int64?

    /// At `POST /v1/apps/{app}/batches`, once the format is known: what the header proves.
    /// - Parameter authorization: the `Authorization` field's value
    package init(
        app: Directory.App, format: BodyFormat, authorization: String?, directory: Directory
    ) throws(Refusal) {
        var proved: Int64?
        if format.profile == .jwe || format.profile == .plain {
            let token = try directory.token(authorization: authorization)
            guard token.scope == .ingest, token.app == app.id else { throw .forbidden }
            if format.profile == .plain, !app.allowsPlain { throw .plainNotAllowed }
            proved = token.id
        }
        self.format = format
        self.app = app
        pathKey = nil
        token = proved
    }

    /// At `POST /v1/legacy/{key}`: holding the key is the proof.
    package init(legacyKey name: String, directory: Directory) throws(Refusal) {
        let key = try directory.key(named: name, profile: .legacy, app: nil)
        format = .legacy
        app = key.app
        pathKey = key
        token = nil
    }
}
