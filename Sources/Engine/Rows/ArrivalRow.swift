/// A row of the engine's table `arrival`: how often a batch came to a node in a quarter of an hour. Counts
/// only grow, and the greatest counts.
package struct ArrivalRow: Sendable, Equatable {
    /// The table.
    package static let table = "arrival"
    /// The columns, in the order in which `append` writes them.
    package static let columns =
        ["app", "quarter", "device", "batch_id", "node", "times", "body_bytes"]
        + RowResource.filterColumns

    /// The app's name.
    package var app: [UInt8]
    /// Quarter hours since 1970.
    package var quarter: Int64
    package var device: DeviceKey
    package var batchID: [UInt8]
    /// The node's name.
    package var node: [UInt8]
    /// The first time included.
    package var times: UInt64
    /// Bodies as sent, of all these times.
    package var bodyBytes: Int64
    package var resource: RowResource

    /// All of it as given.
    package init(
        app: [UInt8], quarter: Int64, device: DeviceKey, batchID: [UInt8], node: [UInt8],
        times: UInt64, bodyBytes: Int64, resource: RowResource
    ) {
        (self.app, self.quarter, self.device, self.batchID) = (app, quarter, device, batchID)
        (self.node, self.times, self.bodyBytes) = (node, times, bodyBytes)
        self.resource = resource
    }

    /// Appends the row in `RowBinary`.
    package func append(to rows: inout RowBinary.Writer) {
        rows.string(app)
        rows.int64(quarter)
        device.append(to: &rows)
        rows.string(batchID)
        rows.string(node)
        rows.uint64(times)
        rows.int64(bodyBytes)
        rows.raw(resource.filters)
    }
}
