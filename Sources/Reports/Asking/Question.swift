import Query
import TimeZones

/// A checked question: a report and all its parameters, with defaults filled in.
package struct Question: Sendable {
    /// The report asked for.
    package let definition: ReportDefinition
    /// The operator's settings.
    package let settings: ReportSettings
    /// The days and batches that it is about.
    package let scope: QueryScope
    /// The arguments by the name of the parameter, in the order given.
    private let arguments: [String: [Argument]]

    /// The most days of a range.
    package static let maxDays = 1_100

    /// Checks parameters against the report's table of them. Throws `unknown-parameter`,
    /// `invalid-parameter` or `missing-parameter`, in this order; `time-zone-gone` where tzdata does not have
    /// the app's and none is given.
    package init(
        _ definition: ReportDefinition, _ list: ParameterList, app: QueryApp, now: Int64,
        settings: ReportSettings
    ) throws(ReportError) {
        let arguments = try Self.checked(list, by: definition.parameters)
        let zone: TimeZoneRules
        if case .timeZone(let given)? = arguments["tz"]?.first {
            zone = given
        } else {
            do {
                zone = try TimeZoneRules(name: app.timeZone)
            } catch {
                throw ReportError(
                    .timeZoneGone,
                    (app.timeZoneFault ?? "\(error)") + "; a question with tz is answered")
            }
        }
        let today = zone.day(at: now)
        func date(_ name: String) -> CivilDate? {
            if case .date(let date)? = arguments[name]?.first { date } else { nil }
        }
        let to = date("to") ?? today
        let from = date("from") ?? to.adding(days: -29)
        guard from <= to else { throw .invalid("from", "must not be after to") }
        guard to.number - from.number < Self.maxDays else {
            throw .invalid("from", "must be at most \(Self.maxDays - 1) days before to")
        }
        let filter = ResourceFilter(
            values: ResourceFilter.dimensions.map { name in
                (arguments[name] ?? []).map(\.canonical)
            })
        self.definition = definition
        scope = QueryScope(
            app: app, now: now, zone: zone, today: today, from: from, to: to, filter: filter)
        self.settings = settings
        self.arguments = arguments
        try definition.check(self)
    }

    /// The app it is about.
    package var app: QueryApp { scope.app }
    /// The time zone of its days.
    package var zone: TimeZoneRules { scope.zone }
    /// The first local day, included.
    package var from: CivilDate { scope.from }
    /// The last local day, included.
    package var to: CivilDate { scope.to }
    /// The batches that count.
    package var filter: ResourceFilter { scope.filter }

    /// Whether its answer shows single devices: where small groups are hidden only `admin` tokens may ask
    /// for it.
    package var showsSingleDevices: Bool {
        switch definition.shape {
        case .lines, .device: true
        // No count tells how many devices the filters leave: it may be one.
        case .rows: !definition.countsDevices && !filter.isEmpty
        }
    }

    /// Whether a parameter was given, so that its default does not apply.
    package func isGiven(_ name: String) -> Bool { arguments[name] != nil }

    /// The canonical texts of a parameter's arguments, in the order given.
    package func texts(_ name: String) -> [ByteText] {
        (arguments[name] ?? []).map(\.canonical)
    }

    /// The text given for a parameter that has to be given.
    package func text(_ name: String) -> ByteText { texts(name).first ?? ByteText("") }

    /// How days are grouped into rows; by day if the report does not take `interval`.
    package var interval: Interval {
        choice("interval").flatMap(Interval.init(rawValue:)) ?? .day
    }

    /// The range cut into buckets.
    package var buckets: Buckets { scope.buckets(by: interval) }

    /// `interval` where it was given; nil where rows are of the whole range.
    package var givenInterval: Interval? { isGiven("interval") ? interval : nil }

    /// The range cut into buckets where `interval` was given; nil where rows are of the whole
    /// range.
    package var givenBuckets: Buckets? { isGiven("interval") ? buckets : nil }

    /// How days are grouped into cohorts.
    package var cohort: Interval { choice("cohort").flatMap(Interval.init(rawValue:)) ?? .day }

    /// How many periods after a cohort's own are shown.
    package var periods: Int {
        if let given = integer("periods") { return given }
        return switch cohort {
        case .day: 14
        case .week: 8
        case .month: 6
        case .all: 0
        }
    }

    /// The steps of a funnel, in their order.
    package var steps: [EventMatcher] {
        (arguments["step"] ?? []).compactMap { argument in
            if case .matcher(let matcher) = argument { matcher } else { nil }
        }
    }

    /// The most milliseconds that a device may take through a funnel.
    package var within: Int64 {
        if case .duration(let given)? = arguments["within"]?.first { given } else { 86_400_000 }
    }

    /// The most names of a ranking.
    package var limit: Int { integer("limit") ?? 100 }

    /// The integer given for a parameter; nil where none was.
    package func integer(_ name: String) -> Int? {
        if case .integer(let integer)? = arguments[name]?.first { integer } else { nil }
    }

    /// Whether the range is not the default one.
    package var isRangeGiven: Bool { arguments["from"] != nil || arguments["to"] != nil }

    /// The line after which an export resumes; nil: it begins with the first.
    package var after: ExportPosition? {
        if case .cursor(let position)? = arguments["after"]?.first { position } else { nil }
    }

    /// The form asked for by `format`, else by `accept`, the header field.
    package func format(accept: String?) -> ReportFormat {
        choice("format").flatMap(ReportFormat.init(rawValue:)) ?? ReportFormat(accepting: accept)
    }

    /// The columns of its answer.
    package var columns: [Column] {
        definition.columns.filter { $0.belongs(to: self) }.flatMap { $0.expanded(in: self) }
    }

    /// The question in one canonical form, however it was asked: the report, the app, the range,
    /// the zone, and the other arguments, sorted by name, without `format`. Two questions with the
    /// same text have the same answer while data, settings and time stay the same. For an `ETag`.
    package var canonical: [UInt8] {
        var lines: [String: [ByteText]] = [:]
        for (name, values) in arguments where name != "format" {
            lines[name] = values.map(\.canonical)
        }
        for (name, values) in zip(ResourceFilter.dimensions, filter.values) where !values.isEmpty {
            lines[name] = values
        }
        for parameter in definition.parameters
        where lines[parameter.name] == nil && parameter.name != "format" {
            guard let text = parameter.defaultText.map({ ByteText($0) }) else { continue }
            // A default in words is no value; it follows from the other lines.
            lines[parameter.name] = [(try? parameter.argument(text).canonical) ?? text]
        }
        if definition.parameters.contains(.periods) {
            lines["periods"] = [ByteText(String(periods))]
        }
        lines["app"] = [ByteText(app.name)]
        lines["from"] = [.init(from.text)]
        lines["to"] = [.init(to.text)]
        lines["tz"] = [.init(zone.name)]
        // One device's record is whole unless a range is asked for.
        if case .device = definition.shape, !isRangeGiven { lines["range"] = [ByteText("all")] }
        var out = Array(definition.name.utf8)
        for (name, values) in lines.sorted(by: { ByteText($0.key) < ByteText($1.key) }) {
            for value in values {
                // Lengths keep a value from looking like the next line.
                out += "\n\(name) \(value.bytes.count) ".utf8
                out += value.bytes
            }
        }
        return out
    }

    /// The question's share of an answer's version: `canonical`, settings, and the rules of tzdata,
    /// which may differ after a restart.
    package var version: [UInt8] {
        var text = canonical
        text += "\n\(settings.minGroup) \(app.sessionTimeout)".utf8
        // Some reports reach a month back, some 90 months ahead.
        let window = zone.window(from: from, to: to)
        for segment in zone.segments(
            from: window.lowerBound - 32 * 86_400_000, to: window.upperBound + 2_800 * 86_400_000)
        {
            text += "\n\(segment.start) \(segment.offset)".utf8
        }
        return text
    }

    /// The choice given for a parameter; nil where none was.
    package func choice(_ name: String) -> String? {
        if case .choice(let choice)? = arguments[name]?.first { choice } else { nil }
    }

    private static func checked(
        _ list: ParameterList, by parameters: [Parameter]
    ) throws(ReportError) -> [String: [Argument]] {
        var arguments: [String: [Argument]] = [:]
        for pair in list.pairs
        where !parameters.contains(where: { ByteText($0.name) == pair.name }) {
            throw ReportError(
                .unknownParameter,
                "\(ParameterList.shown(pair.name.bytes)) is not a parameter of this report")
        }
        for parameter in parameters {
            let given = list.pairs.filter { $0.name == ByteText(parameter.name) }
            if given.isEmpty {
                if parameter.isRequired { throw .missing(parameter.name) }
                continue
            }
            guard given.count == 1 || parameter.isRepeatable else {
                throw .invalid(parameter.name, "is given more than once")
            }
            if let times = parameter.times, !times.contains(given.count) {
                throw .invalid(
                    parameter.name,
                    "must be given \(times.lowerBound) to \(times.upperBound) times")
            }
            var values: [Argument] = []
            for pair in given { values.append(try parameter.argument(pair.value)) }
            arguments[parameter.name] = values
        }
        return arguments
    }
}
