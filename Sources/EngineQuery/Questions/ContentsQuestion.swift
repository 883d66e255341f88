import Engine
import Events
import Query

/// What is read, and what is read to the end (docs/reports.md, content).
struct ContentsQuestion {
    private let source: Source
    private let limit: Int

    init(_ scope: QueryScope, limit: Int) {
        source = Source(scope)
        self.limit = limit
    }

    /// Views and completions, wherever they lie: `c`, `done` of a completion, `ok` where the question is about
    /// it, `here` where its event has not been pruned. Columns
    /// that are united must not be constant in one of the two.
    private var signs: String {
        let (view, complete) = (
            ByteText(StandardEvent.contentView.name),
            ByteText(StandardEvent.contentComplete.name)
        )
        let events = source.events(
            """
            e_subject AS c, device, batch_id, e_time AS t, materialize(toUInt8(e_name = \(SQL.quoted(complete)))) AS done, \
            materialize(toUInt8(is_match AND \(source.within("e_time")))) AS ok, materialize(toUInt8(1)) AS here
            """, [.time, .name, .subject], batch: ["device", "batch_id", source.isMatch], rows: nil,
            window: nil, named: [view, complete], where: "e_subject != ''")
        let completions = source.batches(
            "device, batch_id, \(source.isMatch), done.content AS cs, done.time AS ts", in: nil)
        let pruned = """
            SELECT c, device, batch_id, t, materialize(toUInt8(1)) AS done, \
            materialize(toUInt8(is_match AND \(source.within("t")))) AS ok, materialize(toUInt8(0)) AS here FROM \
            (\(completions)) ARRAY JOIN cs AS c, ts AS t
            """
        return "\(events) UNION ALL \(pruned)"
    }

    func ask(_ asking: inout Asking) throws(QueryError) -> [ContentSums] {
        let isCounted = "sum(views) + sum(completions) + countIf(credit AND NOT sh) > 0"
        let rows = try asking.ranked(
            limit: limit, name: \.content, total: { Int64($0.viewers) },
            { selection in
                """
                SELECT c AS n, sum(views), countIf(views > 0 AND NOT sh) AS total, \
                sum(completions), countIf(completions > 0 AND NOT sh), \
                countIf(credit AND NOT sh) FROM \
                (SELECT c, device, views, completions, credit, \(source.isShared) FROM \
                (SELECT c, device, countIf(NOT done AND ok AND here) AS views, \
                countIf(done AND ok AND here) AS completions, \
                toUInt8(max(done) AND argMinIf(ok, (t, batch_id), done)) AS credit \
                FROM (\(signs)) GROUP BY c, device)) GROUP BY n\(selection.sql(where: isCounted))
                """
            }
        ) { (row) throws(RowFailure) in
            ContentSums(
                content: try row.text(), views: try row.count(), viewers: try row.count(),
                completions: try row.count(), completers: try row.count(),
                credited: try row.count())
        }
        try asking.check()
        var sums: [ByteText: ContentSums] = [:]
        for row in rows {
            guard var known = sums[row.content] else {
                sums[row.content] = row
                continue
            }
            known.views +|= row.views
            known.viewers +|= row.viewers
            known.completions +|= row.completions
            known.completers +|= row.completers
            known.credited +|= row.credited
            sums[row.content] = known
        }
        let ranked = sums.values.sorted { a, b in
            a.viewers != b.viewers ? a.viewers > b.viewers : a.content < b.content
        }
        return Array(ranked.prefix(max(0, limit)))
    }
}
