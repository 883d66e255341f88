/// Which batches count, by their resource: for each of four members the texts that match
/// (docs/reports.md, Asking).
package struct ResourceFilter: Hashable, Sendable {
    /// The members that a filter can match, in the order of the contract.
    package static let dimensions = [
        "os.name", "os.version", "service.version", "device.model.identifier",
    ]

    /// The texts that match, for each of `dimensions`; without texts everything matches.
    package let values: [[ByteText]]

    /// A filter; equal texts count once and their order does not matter.
    package init(values: [[ByteText]]) {
        self.values = values.map { Set($0).sorted() }
    }

    /// The filter that everything matches.
    package static let everything = ResourceFilter(values: dimensions.map { _ in [] })

    /// Whether everything matches.
    package var isEmpty: Bool { values.allSatisfy(\.isEmpty) }

    /// Whether a resource matches.
    /// - Parameter texts: its members in the order of `dimensions`, `unknown` for one that is not
    ///   given
    package func letsThrough(_ texts: [ByteText]) -> Bool {
        zip(values, texts).allSatisfy { $0.isEmpty || $0.contains($1) }
    }
}
