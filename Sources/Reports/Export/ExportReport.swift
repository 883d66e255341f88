/// `export`: every accepted event as one line of JSON, in one order (docs/reports.md, export).
package enum ExportReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "export",
        summary: "every accepted event, one JSON object a line, oldest first",
        parameters: Parameter.common + Parameter.filters + [
            Parameter("after", "go on behind the line with this cursor", .cursor),
            Parameter("format", "lines of JSON only", .choice(["json"]), default: "json"),
        ],
        columns: [
            Column("time", .integer, unit: "milliseconds"),
            Column("name", .text),
            Column("device", .text),
            Column("batch_id", .text),
            Column("index", .integer),
            Column("received_at", .integer, unit: "milliseconds"),
            Column("resource", .object),
            Column("attributes", .object),
            Column("cursor", .text),
        ],
        shape: .lines)

    /// Value of `Content-Type`.
    package static let contentType: StaticString = "application/x-ndjson"
}

/// `devices`: one device's own record, as lines of an export (docs/reports.md, devices).
package enum DevicesReport {
    /// Its entry in the catalogue.
    package static let definition = ReportDefinition(
        name: "devices",
        summary:
            "one device's own events at /report/devices/{hash}, oldest first; all without from and to",
        parameters: Parameter.rangeOrAll,
        columns: ExportReport.definition.columns,
        shape: .device)
}
