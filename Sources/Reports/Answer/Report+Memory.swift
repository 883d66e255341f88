import Query

extension Report {
    /// Bytes that its rows take, about.
    package var size: Int {
        // Bytes that an array takes besides its elements.
        let header = 32
        return rows.reduce(rows.allocatedBytes) { bytes, row in
            row.cells.reduce(bytes + header + row.cells.allocatedBytes) { bytes, cell in
                cell.length.map { bytes + header + $0 } ?? bytes
            }
        }
    }

    /// Bytes that its text takes while it is written, about: a table needs the texts of all its
    /// cells before it is laid out.
    package func textSize(as format: ReportFormat) -> Int {
        let perCell = format == .table ? 256 : 48
        return rows.reduce(0) { bytes, row in
            row.cells.reduce(bytes + row.cells.count * perCell) { bytes, cell in
                bytes + (cell.length ?? 0) * 2
            }
        }
    }
}

extension Cell {
    /// Bytes of a text or of a number's digits; nil of what has none.
    fileprivate var length: Int? {
        switch self {
        case .text(let text), .number(let text): text.bytes.count
        default: nil
        }
    }
}
