/// A count of devices that a figure is made of: its column, and the row in which it stands.
package enum CountReference: Hashable, Sendable {
    /// In the figure's own row.
    case own(String)
    /// In the first row.
    case first(String)
    /// In the row before the figure's; of the first row's figure there is none.
    case previous(String)

    /// The name of the column.
    var column: String {
        switch self {
        case .own(let column), .first(let column), .previous(let column): column
        }
    }

    /// The index of the row for a figure in the row of that index; nil where there is none.
    func row(from row: Int) -> Int? {
        switch self {
        case .own: row
        case .first: 0
        case .previous: row > 0 ? row - 1 : nil
        }
    }
}
