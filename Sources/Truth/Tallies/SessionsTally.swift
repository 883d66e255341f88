import TimeZones

/// `sessions`. Whether a session that was never closed is open or inferred is a matter of when one asks:
/// the two are one column here.
struct SessionsTally: Tally {
    private let buckets: Buckets
    private var counts: [Count]

    private struct Count {
        var devices = 0
        /// Sessions of those devices.
        var unshared = 0
        var closed = 0
        var durations = Durations()
        var last: Int32 = 0
    }

    init(_ interval: Interval, _ calendar: ReportCalendar) {
        buckets = calendar.buckets(by: interval)
        counts = Array(repeating: Count(), count: buckets.count)
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        for session in view.keptSessions {
            guard let bucket = buckets.index(ofDay: Int(session.first.day)) else { continue }
            counts[bucket].durations.insert(session.duration)
            if session.isClosed { counts[bucket].closed += 1 }
            guard !view.device.isShared else { continue }
            counts[bucket].unshared += 1
            if counts[bucket].last != view.device.ordinal {
                counts[bucket].last = view.device.ordinal
                counts[bucket].devices += 1
            }
        }
    }

    mutating func merge(_ other: SessionsTally, _ renaming: Renaming) {
        for (bucket, count) in other.counts.enumerated() {
            counts[bucket].devices += count.devices
            counts[bucket].unshared += count.unshared
            counts[bucket].closed += count.closed
            counts[bucket].durations.merge(count.durations)
        }
    }

    func answer(_ names: Names) -> Answer {
        var answer = Answer(
            columns: [
                "date", "sessions", "devices", "sessions_per_device", "duration_mean",
                "duration_p50", "duration_p90", "duration_p95", "total_duration", "closed",
                "inferred+open",
            ], keyCount: 1)
        answer.rows = buckets.indices.map { bucket in
            let count = counts[bucket]
            let sessions = count.durations.count
            return [
                .text(buckets.starts[bucket].text), .count(sessions), .count(count.devices),
                .ratio(count.unshared, count.devices), count.durations.mean,
            ] + count.durations.percentiles([50, 90, 95]) + [
                .seconds(count.durations.total), .count(count.closed),
                .count(sessions - count.closed),
            ]
        }
        return answer
    }
}
