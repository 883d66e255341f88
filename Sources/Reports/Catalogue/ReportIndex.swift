import JSON
import Query

/// The list of reports, described in enough detail to build a form from it: the answer to `GET
/// /report`.
package enum ReportIndex {
    /// The list as JSON, then the apps that may be asked about, and last the operator's settings of all
    /// answers.
    /// - Parameter apps: in the order of their names' bytes
    package static func json(
        _ definitions: [ReportDefinition] = ReportDefinition.all, apps: [QueryApp],
        settings: ReportSettings
    ) -> [UInt8] {
        var writer = JSON.Writer(reserving: 4096 * definitions.count)
        writer.beginObject()
        writer.name("reports")
        writer.beginArray()
        for definition in definitions {
            writer.beginObject()
            writer.member("name", definition.name)
            writer.member("summary", definition.summary)
            writer.name("parameters")
            writer.beginArray()
            for parameter in definition.parameters { append(parameter, to: &writer) }
            writer.endArray()
            writer.name("members")
            writer.beginArray()
            for member in definition.members { append(member, to: &writer) }
            writer.endArray()
            writer.name("columns")
            writer.beginArray()
            for column in definition.columns { append(column, to: &writer) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.name("apps")
        writer.beginArray()
        for app in apps { append(app, to: &writer) }
        writer.endArray()
        writer.member("min_group", settings.minGroup)
        writer.endObject()
        return writer.take()
    }

    /// By the names that `sojourn app list` has for the same.
    private static func append(_ app: QueryApp, to writer: inout JSON.Writer) {
        writer.beginObject()
        writer.member("app", app.name)
        writer.member("name", app.title)
        writer.member("time_zone", app.timeZone)
        writer.name("session_timeout_s")
        let (seconds, milliseconds) = app.sessionTimeout.quotientAndRemainder(dividingBy: 1000)
        if milliseconds == 0 {
            writer.integer(seconds)
        } else {
            writer.fixed(app.sessionTimeout, decimals: 3)
        }
        writer.endObject()
    }

    private static func append(_ parameter: Parameter, to writer: inout JSON.Writer) {
        writer.beginObject()
        writer.member("name", parameter.name)
        writer.member("meaning", parameter.meaning)
        switch parameter.kind {
        case .app: writer.member("type", "app")
        case .date: writer.member("type", "date")
        case .timeZone: writer.member("type", "time_zone")
        case .text: writer.member("type", "text")
        case .cursor: writer.member("type", "cursor")
        case .duration: writer.member("type", "duration")
        case .matcher: writer.member("type", "matcher")
        case .choice(let choices):
            writer.member("type", "choice")
            append("choices", choices, to: &writer)
        case .integer(let bounds):
            writer.member("type", "integer")
            writer.member("minimum", bounds.lowerBound)
            writer.member("maximum", bounds.upperBound)
        }
        append("default", parameter.defaultText, to: &writer)
        writer.member("required", parameter.isRequired)
        writer.member("repeatable", parameter.isRepeatable)
        if let times = parameter.times {
            writer.member("fewest", times.lowerBound)
            writer.member("most", times.upperBound)
        }
        writer.endObject()
    }

    private static func append(_ column: Column, to writer: inout JSON.Writer) {
        writer.beginObject()
        writer.member("name", column.name)
        writer.member("type", column.kind.rawValue)
        append("unit", column.unit, to: &writer)
        if !column.intervals.isEmpty {
            append("intervals", column.intervals.map(\.rawValue), to: &writer)
        }
        if let with = column.with { writer.member("with", with) }
        if let without = column.without { writer.member("without", without) }
        if let numberedBy = column.numberedBy { writer.member("numbered_by", numberedBy) }
        writer.endObject()
    }

    private static func append(_ name: String, _ text: String?, to writer: inout JSON.Writer) {
        writer.name(name)
        if let text { writer.string(text) } else { writer.null() }
    }

    private static func append(_ name: String, _ texts: [String], to writer: inout JSON.Writer) {
        writer.name(name)
        writer.beginArray()
        for text in texts { writer.string(text) }
        writer.endArray()
    }
}
