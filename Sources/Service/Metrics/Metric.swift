/// All metrics of `/metrics` (docs/metrics.md is generated from this).
package enum Metric: String, CaseIterable, Sendable {
    case httpRequests = "sojourn_http_requests_total"
    case batches = "sojourn_batches_total"
    case events = "sojourn_events_total"
    case commitSeconds = "sojourn_commit_seconds"
    case commitBatches = "sojourn_commit_batches"
    case reportSeconds = "sojourn_report_seconds"
    case queueBatches = "sojourn_queue_batches"
    case connections = "sojourn_connections"
    case receivedBytes = "sojourn_received_bytes_total"
    case databaseBytes = "sojourn_database_bytes"
    case clockVouched = "sojourn_clock_vouched"
    case forwardUnits = "sojourn_forward_units_total"
    case forwardBatches = "sojourn_forward_batches_total"
    case forwardFailures = "sojourn_forward_failures_total"
    case forwardWaitingBatches = "sojourn_forward_waiting_batches"
    case forwardWaitingBytes = "sojourn_forward_waiting_bytes"
    case forwardLag = "sojourn_forward_lag_seconds"
    case forwardSeconds = "sojourn_forward_seconds"
    case forwardClockOffset = "sojourn_forward_clock_offset_seconds"
    case buildInfo = "sojourn_build_info"
    case processCPUSeconds = "process_cpu_seconds_total"
    case processResidentBytes = "process_resident_memory_bytes"
    case processVirtualBytes = "process_virtual_memory_bytes"
    case processOpenFiles = "process_open_fds"
    case processMaxFiles = "process_max_fds"
    case processStart = "process_start_time_seconds"

    /// As Prometheus knows them.
    package enum Kind: String, Sendable { case counter, gauge, histogram }

    /// What it is, the names of its labels, and what it counts in one sentence.
    package var row: (kind: Kind, labels: [String], help: String) {
        switch self {
        case .httpRequests:
            (.counter, ["route", "status"], "Requests that were answered.")
        case .batches:
            (
                .counter, ["profile", "outcome"],
                "Batches, by what became of them: accepted, duplicate, dry-run, or the code of the problem."
            )
        case .events:
            (
                .counter, ["outcome", "code"],
                "Events of stored batches, accepted or rejected with a code; repeats do not count."
            )
        case .commitSeconds:
            (
                .histogram, [],
                "Time of a commit, from the begin of its transaction to the end of its sync."
            )
        case .commitBatches:
            (.histogram, [], "Batches that shared a commit, repeats too.")
        case .reportSeconds:
            (
                .histogram, ["report"],
                "Time of a report, its rests included, its wait left out; of a streamed one its first page."
            )
        case .queueBatches: (.gauge, [], "Batches that wait for the disk.")
        case .connections: (.gauge, [], "Connections that are open, on all listeners.")
        case .receivedBytes: (.counter, [], "Octets that clients have sent, heads and bodies.")
        case .databaseBytes: (.gauge, [], "Size of the database and its log on disk.")
        case .clockVouched:
            (
                .gauge, [],
                "1 while the clock is vouched for; 0: retention and spool-retention wait."
            )
        case .forwardUnits:
            (
                .counter, [],
                "Units that the engine has taken. This one and the next seven: with forward-to."
            )
        case .forwardBatches: (.counter, [], "Batches in these units.")
        case .forwardFailures:
            (
                .counter, ["reason"],
                "Tries to hand over that failed: refused, timeout, status, cut, exception or schema."
            )
        case .forwardWaitingBatches: (.gauge, [], "Batches that are not handed over.")
        case .forwardWaitingBytes: (.gauge, [], "Octets of their bodies as sent.")
        case .forwardLag:
            (.gauge, [], "How long ago it was that everything answered 200 was handed over.")
        case .forwardSeconds: (.histogram, [], "Time of one request to the engine.")
        case .forwardClockOffset:
            (.gauge, [], "The node's clock less the engine's, once it is known.")
        case .buildInfo: (.gauge, ["version"], "What this program is; always 1.")
        case .processCPUSeconds:
            (.counter, [], "Processor time of the process, in its own code and in the system's.")
        case .processResidentBytes: (.gauge, [], "Memory of the process that is in RAM.")
        case .processVirtualBytes: (.gauge, [], "Address space of the process.")
        case .processOpenFiles: (.gauge, [], "Descriptors that the process has open.")
        case .processMaxFiles: (.gauge, [], "Descriptors that the process may open.")
        case .processStart: (.gauge, [], "When the process began, seconds since 1970.")
        }
    }

    /// It is of a node that hands over to an engine.
    var isOfCluster: Bool {
        switch self {
        case .forwardUnits, .forwardBatches, .forwardFailures, .forwardWaitingBatches,
            .forwardWaitingBytes, .forwardLag, .forwardSeconds, .forwardClockOffset:
            true
        default: false
        }
    }

    /// Every name under which samples of it come: a histogram has three.
    package var sampleNames: [String] {
        row.kind == .histogram
            ? ["_bucket", "_sum", "_count"].map { rawValue + $0 } : [rawValue]
    }
}
