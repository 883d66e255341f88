import CAllocations
import Glibc

/// What a stage took over all batches: the median of several rounds.
struct Measured {
    let stage: String
    /// Of the process, all its threads, in nanoseconds.
    let cpuPerEvent: Double
    /// Nanoseconds.
    let wallPerEvent: Double
    let allocationsPerBatch: Double

    var json: String {
        """
        {"stage":"\(stage)","cpu_ns":\(cpuPerEvent),"wall_ns":\(wallPerEvent),\
        "allocations":\(allocationsPerBatch)}
        """
    }
}

/// Runs stages and takes their time.
struct Meter {
    let batches: Int
    let events: Int
    let rounds: Int

    /// - Parameter work: one stage over all batches. It has run once before it is measured, so that
    ///   buffers have grown.
    func measure(_ stage: String, warmsUp: Bool = true, _ work: () -> Void) -> Measured {
        if warmsUp { work() }
        var cpu: [Double] = []
        var wall: [Double] = []
        var allocations: [Double] = []
        for _ in 0..<rounds {
            let before = (now(CLOCK_PROCESS_CPUTIME_ID), now(CLOCK_MONOTONIC), allocations_so_far())
            work()
            cpu.append(now(CLOCK_PROCESS_CPUTIME_ID) - before.0)
            wall.append(now(CLOCK_MONOTONIC) - before.1)
            allocations.append(Double(allocations_so_far() - before.2))
        }
        return Measured(
            stage: stage, cpuPerEvent: median(cpu) / Double(events),
            wallPerEvent: median(wall) / Double(events),
            allocationsPerBatch: median(allocations) / Double(batches))
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
