/// A name of an app, or a key of an attribute, by rows: as `app_name` and `app_attribute_key` have it.
package struct AppWord: Hashable, Sendable {
    package let app: Int64
    package let word: Int64

    /// A word of an app.
    package init(app: Int64, word: Int64) {
        self.app = app
        self.word = word
    }
}
