import Query

extension Report {
    /// The report in a form, with what that takes told to the report's account. Throws if the report is to
    /// end.
    package func rendered(
        as format: ReportFormat, _ interruption: Interruption
    ) throws(QueryError) -> [UInt8] {
        var held = HeldOctets(interruption.account, octets + textOctets(as: format))
        func check() throws(QueryError) {
            if interruption.isRaised { throw interruption.error }
        }
        try check()
        let text = rendered(as: format)
        held.set(octets + text.octets)
        try check()
        return text
    }

    /// Octets that its rows take, about.
    var octets: Int {
        // What an array takes besides its elements.
        let header = 32
        return rows.reduce(rows.octets) { octets, row in
            row.cells.reduce(octets + header + row.cells.octets) { octets, cell in
                if case .text(let text) = cell {
                    octets + header + text.bytes.count
                } else {
                    octets
                }
            }
        }
    }

    /// Octets that its text takes while it is written, about: what is laid out in a table is there cell by
    /// cell before.
    private func textOctets(as format: ReportFormat) -> Int {
        let perCell = format == .table ? 256 : 48
        return rows.reduce(0) { octets, row in
            row.cells.reduce(octets + row.cells.count * perCell) { octets, cell in
                if case .text(let text) = cell { octets + text.bytes.count * 2 } else { octets }
            }
        }
    }
}
