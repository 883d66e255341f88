import Ingest

/// Where a batch's path leads: looked up once, with the apps and keys that were in force then.
struct BatchTarget {
    /// The app that the path names, itself or by one of its keys, revoked ones too; nil where a legacy
    /// key is nobody's.
    let app: Directory.App?
    /// The key that the path names; nil where it names the app.
    var legacyKey: String?
    let directory: Directory
}
