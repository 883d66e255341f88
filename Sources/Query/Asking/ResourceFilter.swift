/// Which batches count, by what they say of the device: for each of four members the texts that are
/// let through (docs/reports.md, Asking).
package struct ResourceFilter: Hashable, Sendable {
    /// The members that can be filtered by, in the order of the contract.
    package static let dimensions = [
        "os.name", "os.version", "service.version", "device.model.identifier",
    ]

    /// Texts let through, for each of `dimensions`; empty lets everything through.
    package let values: [[ByteText]]

    /// A filter; equal texts count once and their order does not matter.
    package init(values: [[ByteText]]) {
        self.values = values.map { Set($0).sorted() }
    }

    /// Lets everything through.
    package static let everything = ResourceFilter(values: dimensions.map { _ in [] })

    /// Whether it lets everything through.
    package var isEmpty: Bool { values.allSatisfy(\.isEmpty) }

    /// Whether it lets a resource through.
    /// - Parameter texts: what that says, in the order of `dimensions`; `unknown` for what it does not say
    package func letsThrough(_ texts: [ByteText]) -> Bool {
        zip(values, texts).allSatisfy { $0.isEmpty || $0.contains($1) }
    }
}
