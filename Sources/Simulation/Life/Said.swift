import Client

/// Something that an app tells its client, and what it means: the event that has to come of it.
struct Said {
    /// Which call of the client says it.
    enum Form {
        /// One of the client's own names, or the app's.
        case event(isOwn: Bool)
        /// `content(id).completed()`.
        case completed
        /// A page in a web view posts a message; the app shows the content of this id.
        case message(String, contentID: String?)
        /// A page in a web view goes to a URL of its scheme.
        case url(String, contentID: String?)
    }

    let name: String
    /// Without `session.id`, which is the client's.
    let attributes: [(key: String, value: Value)]
    let form: Form

    /// An event of the client's own names, or with `isOwn` of the app's.
    init(_ name: String, isOwn: Bool = false, _ attributes: (key: String, value: Value)...) {
        self.init(name, attributes, .event(isOwn: isOwn))
    }

    init(_ name: String, _ attributes: [(key: String, value: Value)], _ form: Form) {
        self.name = name
        self.attributes = attributes
        self.form = form
    }
}
