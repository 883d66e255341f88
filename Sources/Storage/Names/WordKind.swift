import Events

/// The two kinds of words that devices bring and the database keeps once: names of events and keys of
/// attributes. Each has a table of its own, and they count apart (docs/protocol.md, Names).
package enum WordKind: CaseIterable, Sendable {
    case name
    case attributeKey

    /// Where the texts stand.
    package var table: String {
        switch self {
        case .name: "name"
        case .attributeKey: "attribute_key"
        }
    }

    /// Which of them the stored events of an app have: `app` and a column of the table's name.
    package var useTable: String { "app_" + table }

    /// Those that the protocol names: they do not count.
    var exempt: [String] {
        switch self {
        case .name: StandardEvent.allCases.map(\.name)
        case .attributeKey: StandardAttribute.allCases.map(\.key)
        }
    }
}
