/// A name of an app, or a key of an attribute, by rows: as `app_name` and `app_attribute_key` have it.
struct AppWord: Hashable, Sendable {
    let app: Int64
    let word: Int64
}
