import JSON
import Query

extension Report {
    /// `{"report", "app", "from", "to", "time_zone", …, "rows": [ {…} ]}` (docs/reports.md,
    /// Asking).
    func json() -> [UInt8] {
        var writer = JSON.Writer(reserving: 256 * (rows.count + 1))
        writer.beginObject()
        writer.member("report", name)
        writer.member("app", app)
        writer.member("from", from.text)
        writer.member("to", to.text)
        writer.member("time_zone", timeZone)
        for member in members {
            writer.name(member.name)
            Self.append(member.value, to: &writer)
        }
        writer.name("rows")
        writer.beginArray()
        for row in rows {
            writer.beginObject()
            for (column, cell) in zip(columns, row.cells) {
                writer.name(column.name)
                Self.append(cell, to: &writer)
            }
            if row.isSuppressed { writer.member("suppressed", true) }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.take()
    }

    private static func append(_ cell: Cell, to writer: inout JSON.Writer) {
        switch cell {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .int(let value): writer.integer(value)
        case .text(let text): writer.string(text.bytes.span)
        case .number(let digits): writer.raw(digits.bytes.span)
        case .decimal(let units, let places): writer.fixed(units, decimals: places)
        case .counts(let counts): append(counts, to: &writer)
        case .countsByName(let all):
            writer.beginObject()
            for one in all {
                writer.name(one.name.string)
                append(one.counts, to: &writer)
            }
            writer.endObject()
        }
    }

    private static func append(_ counts: [NamedCount], to writer: inout JSON.Writer) {
        writer.beginObject()
        for count in counts { writer.member(count.name.string, count.count) }
        writer.endObject()
    }
}
