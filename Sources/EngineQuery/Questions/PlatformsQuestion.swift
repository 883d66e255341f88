import Engine
import Query

/// Which system is installed most and which is used most (docs/reports.md, platforms).
struct PlatformsQuestion {
    private let source: Source
    private let limit: Int

    init(_ scope: QueryScope, limit: Int) {
        source = Source(scope)
        self.limit = limit
    }

    func ask(_ asking: inout Asking) throws(QueryError) -> Platforms {
        let name = SQL.known(Source.column("os.name"))
        let batches = source.batches(
            "\(name) AS os, device, \(source.isShared)", in: source.window,
            where: [source.filter, "arrayExists(t -> \(source.within("t")), event.time)"])
        let rows = try asking.rows(
            "SELECT os, uniqExactIf(device, NOT sh) FROM (\(batches)) GROUP BY os"
        ) { (row) throws(RowFailure) in (name: try row.text(), devices: try row.count()) }
        var systems: [ByteText: Platforms.System] = [:]
        for (name, devices) in rows {
            let none = Platforms.System(
                name: name, devices: 0, sessions: 0, unshared: 0, duration: 0)
            systems[name, default: none].devices +|= devices
        }
        // A system without events in the range has no row, whatever its sessions.
        for (name, sessions, unshared, duration) in try sessions(name, &asking) {
            systems[name]?.sessions +|= sessions
            systems[name]?.unshared +|= unshared
            systems[name]?.duration += Int128(duration)
        }
        try asking.check()
        let ranked = systems.values.sorted { a, b in
            a.devices != b.devices ? a.devices > b.devices : a.name < b.name
        }
        return Platforms(
            systems: Array(ranked.prefix(max(0, limit))),
            devices: ranked.reduce(0) { $0 + Int128($1.devices) },
            duration: ranked.reduce(0) { $0 + $1.duration })
    }

    private func sessions(
        _ name: String, _ asking: inout Asking
    ) throws(QueryError) -> [(name: ByteText, sessions: Int, unshared: Int, duration: Int64)] {
        try asking.rows(
            """
            SELECT own, count(), countIf(NOT sh), sum(dur) FROM \
            (SELECT own, dur, \(source.isShared) \
            FROM (\(SessionSource(source: source).rows(own: name)))) GROUP BY own
            """
        ) { (row) throws(RowFailure) in
            (
                name: try row.text(), sessions: try row.count(), unshared: try row.count(),
                duration: try row.int64()
            )
        }
    }
}
