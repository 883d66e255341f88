/// A row of the engine's table `refusal`: how many whole batches a node refused for one reason in a quarter
/// of an hour. Counts only grow, and the greatest counts.
package struct RefusalRow: Sendable, Equatable {
    /// The table.
    package static let table = "refusal"
    /// The columns, in the order in which `append` writes them.
    package static let columns = ["app", "quarter", "code", "node", "batches"]

    /// The app's name.
    package var app: [UInt8]
    /// Quarter hours since 1970.
    package var quarter: Int64
    /// As on the wire.
    package var code: [UInt8]
    /// The node's name.
    package var node: [UInt8]
    package var batches: UInt64

    /// All of it as given.
    package init(app: [UInt8], quarter: Int64, code: [UInt8], node: [UInt8], batches: UInt64) {
        (self.app, self.quarter, self.code) = (app, quarter, code)
        (self.node, self.batches) = (node, batches)
    }

    /// Appends the row in `RowBinary`.
    package func append(to rows: inout RowBinary.Writer) {
        rows.string(app)
        rows.int64(quarter)
        rows.string(code)
        rows.string(node)
        rows.uint64(batches)
    }
}
