/// `devices`: one device's own record, as lines of an export (docs/reports.md, devices).
package enum DevicesReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "devices",
        summary:
            "one device's own events at /report/devices/{hash}, oldest first; all without from and to",
        parameters: Parameter.rangeOrAll,
        columns: ExportReport.definition.columns,
        showsSingleDevices: true, answer: .device)
}
