import Forwarding
import Service

/// The engine that the node hands over to, and how far it is.
extension Checkup {
    /// What the engine tells; nothing of it without `forward-to`.
    func cluster() -> [CheckupResult] {
        guard let forward = settings.forward else { return [] }
        var findings = Self.plainHTTP(forward)
        do {
            let report = try Administration(settings: settings).clusterAndDatabase {
                try $0.report(of: forward.node, $1)
            }
            findings += Self.cluster(report, node: forward.node)
        } catch {
            findings.append(
                CheckupResult(
                    "engine", .broken,
                    "\(error); the log of the server says what it does meanwhile"))
        }
        return findings
    }

    /// What goes over the network for all to read: devices' hashes and all their events.
    static func plainHTTP(_ forward: ForwardSettings) -> [CheckupResult] {
        let open = forward.shards.flatMap { $0 }.filter {
            !$0.isLocal && $0.origin.hasPrefix("http://")
        }.map(\.origin)
        if open.isEmpty { return [] }
        return [
            CheckupResult(
                "engine", .warning,
                "\(listed(open)): batches and the password go there in plain text; use https://, or a "
                    + "network of its own")
        ]
    }

    /// - Parameter node: this node's name
    static func cluster(_ report: ClusterReport, node: String) -> [CheckupResult] {
        var findings: [CheckupResult] = []
        if let lag = report.lag, lag > 300_000 {
            findings.append(
                CheckupResult(
                    "hand-over", .warning,
                    "node \(node) is \(DurationText.text(milliseconds: lag / 1000 * 1000)) late: "
                        + "the log says why; what waits would be lost with this disk"))
        } else if report.lag == nil {
            findings.append(
                CheckupResult(
                    "hand-over", .warning,
                    "node \(node) has never handed over to this engine: run the server, and look at its log"
                ))
        } else {
            findings.append(CheckupResult("hand-over", .ok, "node \(node) hands over in time"))
        }
        if let twin = report.twin {
            findings.append(
                CheckupResult(
                    "node", .warning,
                    "another node handed over as \(node), last at \(Moment.text(twin)): "
                        + "give each a name of its own (node)"))
        }
        if report.clockOffset.magnitude > 1000 {
            findings.append(
                CheckupResult(
                    "engine-clock", .warning,
                    "this clock is \(report.clockOffset) ms from the engine's: look at the time services"
                ))
        }
        if !report.unsynced.isEmpty {
            findings.append(
                CheckupResult(
                    "engine", .warning,
                    "\(listed(report.unsynced)) does not sync what it stores (no fsync_after_insert): after "
                        + "a power cut nodes hand the last ten minutes over again; for more, 'sojourn forward --again'"
                ))
        } else {
            findings.append(
                CheckupResult("engine", .ok, "all its servers answer, with this program's tables"))
        }
        return findings
    }
}
