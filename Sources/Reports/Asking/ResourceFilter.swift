import JSON

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
    static let everything = ResourceFilter(values: dimensions.map { _ in [] })

    /// Whether it lets everything through.
    package var isEmpty: Bool { values.allSatisfy(\.isEmpty) }

    /// The texts of each of `dimensions` as a JSON array, for the parameters ?1 to ?4 of `matching`;
    /// nothing where everything is let through.
    var bindings: [[UInt8]?] {
        values.map { texts in
            if texts.isEmpty { return nil }
            var writer = JSON.Writer()
            writer.beginArray()
            for text in texts { writer.string(text.bytes.span) }
            writer.endArray()
            return writer.take()
        }
    }

    /// The rows of `resource` that are let through. Parameters ?1 to ?4 are `bindings`.
    static let matching = """
        SELECT id FROM resource
        WHERE (?1 IS NULL OR iif(os_name = '', 'unknown', os_name)
            IN (SELECT value FROM json_each(?1)))
          AND (?2 IS NULL OR iif(os_version = '', 'unknown', os_version)
            IN (SELECT value FROM json_each(?2)))
          AND (?3 IS NULL OR iif(service_version = '', 'unknown', service_version)
            IN (SELECT value FROM json_each(?3)))
          AND (?4 IS NULL OR iif(device_model = '', 'unknown', device_model)
            IN (SELECT value FROM json_each(?4)))
        """
}
