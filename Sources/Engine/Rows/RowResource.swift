/// The eight columns that tell what a batch says of the device and the app, written once for all of its
/// rows.
package struct RowResource: Sendable, Equatable {
    /// The columns, in order.
    package static let columns = [
        "os_name", "os_version", "device_model", "device_manufacturer", "service_version",
        "app_build_id", "sdk_name", "sdk_version",
    ]

    /// Those that reports filter by, in order.
    package static let filterColumns = ["os_name", "os_version", "device_model", "service_version"]

    /// All eight, as a row has them.
    let all: [UInt8]
    /// The four of `filterColumns`.
    let filters: [UInt8]

    /// - Parameter texts: by column; what is not given is empty
    package init(_ texts: [String: [UInt8]]) {
        all = Self.encoded(Self.columns, texts)
        filters = Self.encoded(Self.filterColumns, texts)
    }

    private static func encoded(_ columns: [String], _ texts: [String: [UInt8]]) -> [UInt8] {
        var row = RowBinary.Writer()
        for column in columns { row.string(texts[column] ?? []) }
        return row.bytes
    }
}
