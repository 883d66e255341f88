import Sealing

/// All apps, keys and tokens at one moment, revoked ones too. Never changes: whoever holds one keeps
/// using it until `Registry.version` has moved on.
package final class RegistrySnapshot: Sendable {
    /// Rises with every change; 0 is the empty one.
    package let version: Int
    /// In order of their names' octets.
    package let apps: [App]
    /// In order of their names' octets.
    package let keys: [IngestKey]
    /// In order of their names' octets.
    package let tokens: [Token]

    private let appsByName: [OctetText: App]
    private let appsByID: [Int64: App]
    private let keysByName: [OctetText: IngestKey]
    private let tokensByHash: [Digest256: Token]

    init(version: Int, apps: [App], keys: [IngestKey], tokens: [Token]) {
        self.version = version
        self.apps = apps
        self.keys = keys
        self.tokens = tokens
        appsByName = Dictionary(apps.map { (OctetText($0.name), $0) }) { first, _ in first }
        appsByID = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
        keysByName = Dictionary(keys.map { (OctetText($0.name), $0) }) { first, _ in first }
        tokensByHash = Dictionary(tokens.map { ($0.hash, $0) }) { first, _ in first }
    }

    /// Nothing, version 0.
    package static let empty = RegistrySnapshot(version: 0, apps: [], keys: [], tokens: [])

    /// The app of exactly that name.
    package func app(named name: String) -> App? { appsByName[OctetText(name)] }
    /// The app of that row.
    package func app(_ id: Int64) -> App? { appsByID[id] }
    /// The key of exactly that name, revoked ones too.
    package func key(named name: String) -> IngestKey? { keysByName[OctetText(name)] }
    /// The token of that text, revoked ones too. Looks the hash up, so that its time tells nothing
    /// about how much of a wrong token was right.
    package func token(_ text: Span<UInt8>) -> Token? { tokensByHash[Token.hash(of: text)] }
}
