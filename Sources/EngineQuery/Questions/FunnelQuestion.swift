import Engine
import Query

/// How many devices get how far (docs/reports.md, funnel).
///
/// A device of which no two matching events lie in one millisecond is walked through by the engine. The others
/// come as lists: which of several events completes which step is decided here (`FunnelWalk`).
struct FunnelQuestion {
    private let source: Source
    private let steps: [EventMatcher]
    private let within: Int64

    init(_ scope: QueryScope, _ steps: [EventMatcher], within: Int64) {
        source = Source(scope)
        (self.steps, self.within) = (steps, within)
    }

    /// Bits of an event's steps.
    private static let maskBits = 10

    func ask(_ asking: inout Asking) throws(QueryError) -> [Int] {
        var reached = [Int](repeating: 0, count: steps.count + 1)
        let rows = try asking.rows(walked) { (row) throws(RowFailure) in
            (steps: try row.index(), hits: try row.integers(), devices: try row.count())
        }
        for (steps, hits, devices) in rows {
            let steps = hits.isEmpty ? steps : furthest(hits)
            if reached.indices.contains(steps) { reached[steps] +|= devices }
        }
        var devices = Array(reached.dropFirst())
        // A device that got further also reached this step.
        for step in devices.indices.dropLast().reversed() { devices[step] +|= devices[step + 1] }
        return devices
    }

    /// How many steps a device completes.
    /// - Parameter hits: its matching events, in order
    private func furthest(_ hits: [Int64]) -> Int {
        var walk = FunnelWalk(steps: steps.count, within: within)
        var index = hits.startIndex
        while index < hits.endIndex {
            let time = hits[index] >> Int64(Self.maskBits)
            let moment = hits[index...].prefix { $0 >> Int64(Self.maskBits) == time }
            let masks = moment.map {
                UInt16(truncatingIfNeeded: $0 & (1 << Int64(Self.maskBits) - 1))
            }
            walk.add(time, masks[...])
            index = moment.endIndex
        }
        return walk.furthest
    }

    /// The steps that an event matches, bit 0 for the first.
    private var mask: String {
        steps.enumerated().map { index, step in
            var conditions = ["e_name = \(SQL.quoted(step.name))"]
            if let attribute = step.attribute {
                conditions.append(AttributeValue(attribute).isEqual(to: step.value))
            }
            return "(\(conditions.joined(separator: " AND "))) * \(1 << index)"
        }.joined(separator: " + ")
    }

    /// A device's matching events, in order: `ks`, of which each is a time and a mask, and `ts`, their times.
    private var devices: String {
        var columns: [Source.EventColumn] = [.time, .name]
        for attribute in steps.compactMap(\.attribute) {
            for column in AttributeValue(attribute).columns where !columns.contains(column) {
                columns.append(column)
            }
        }
        let names = Set(steps.map(\.name)).sorted()
        let rows = [source.filter, "device NOT IN \(source.shared)"].compactMap { $0 }
        let hits = source.events(
            "device, e_time, toInt64(\(mask)) AS m", columns, batch: ["device"],
            rows: rows.joined(separator: " AND "), window: source.window,
            named: names, where: source.within("e_time"))
        return """
            SELECT device, arraySort(groupArray(bitOr(bitShiftLeft(e_time, \(Self.maskBits)), m))) \
            AS ks, arrayMap(k -> bitShiftRight(k, \(Self.maskBits)), ks) AS ts FROM (\(hits)) \
            WHERE m != 0 GROUP BY device HAVING max(bitAnd(m, 1)) = 1
            """
    }

    /// How many devices have done how many steps; `hits` are those of devices that are not walked
    /// through here.
    ///
    /// `l`*k* has, for each event, the latest start of a chain of the steps 1 to *k* that it ends, and 0 where
    /// it ends none: of step 1 its own time, of a later step *k* the latest start of a chain of *k* − 1 steps
    /// that an event before it ends. Such starts never go down from one event to a later one. So what `l`
    /// had last before an event (`g`) is a sum of differences: of each start and the one before it, put where
    /// the start is.
    ///
    /// There is no `if` around what is asked for at last: where it need not be known for all rows, some
    /// versions compute all of it again.
    private var walked: String {
        var columns = "ks, ts, hits"
        var inner = """
            SELECT ks, ts, arraySlice(ks, 1, if(arrayUniq(ts) = length(ts), 0, length(ks))) AS hits, \
            arrayMap((k, t) -> if(bitAnd(k, 1) != 0, t, toInt64(0)), ks, ts) AS l FROM (\(devices))
            """
        var reached = ["toInt64(1)"]
        for step in steps.indices.dropFirst() {
            let carried = columns
            columns += ", r\(step)"
            reached.append("r\(step)")
            let isMatch = "bitAnd(k, \(1 << step)) != 0 AND g != 0 AND t - g <= \(within)"
            inner = """
                SELECT \(carried), arrayMap((k, t, g) -> if(\(isMatch), g, toInt64(0)), ks, ts, gs) \
                AS l, toInt64(arrayExists(x -> x != 0, l)) AS r\(step) FROM \
                (SELECT \(carried), arrayPopBack(arrayPushFront(arrayCumSum(arraySort((d, i) -> i, \
                arrayConcat(ds, arrayFilter(x -> x = 0, l)), \
                arrayConcat(arrayFilter((i, x) -> x != 0, ns, l), \
                arrayFilter((i, x) -> x = 0, ns, l)))), toInt64(0))) AS gs FROM \
                (SELECT \(carried), l, arrayEnumerate(l) AS ns, arrayFilter(x -> x != 0, l) AS ss, \
                arrayMap((a, b) -> a - b, ss, arrayPopBack(arrayPushFront(ss, toInt64(0)))) AS ds \
                FROM (\(inner))))
                """
        }
        return """
            SELECT (\(reached.joined(separator: " + "))) * empty(hits) AS r, hits, count() \
            FROM (\(inner)) GROUP BY r, hits
            """
    }
}
