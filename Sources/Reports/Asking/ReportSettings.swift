/// The operator's settings of reports (docs/operation.md, Settings).
package struct ReportSettings: Hashable, Sendable {
    /// `report-min-group`: a group of fewer devices is hidden; 1 hides none.
    package var minGroup: Int

    /// Settings; the default hides nothing.
    package init(minGroup: Int = 1) {
        self.minGroup = minGroup
    }
}
