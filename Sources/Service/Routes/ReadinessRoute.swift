import HTTP1
import Sockets
import Storage

/// `GET /readyz`: whether a batch could be stored now.
struct ReadinessRoute: Sendable {
    let clock: ArrivalClock
    let writer: Writer
    let stop: StopFlag

    /// `/readyz`: 200 when a batch could be stored now (docs/operation.md, HTTP).
    var response: Response {
        if stop.isRaised { return .text("shutting down\n", status: 503) }
        guard clock.isPlausible(Timestamp.milliseconds) else {
            return .text("the clock is wrong: set it\n", status: 503)
        }
        switch writer.readiness {
        case .ready: return .text("ready\n")
        case .failing(.logHeld):
            return .text("the database's log is held up by a reader\n", status: 503)
        case .failing(let error):
            let isFull = error.kind == .storageFull
            let reason = isFull ? "the disk is full" : "cannot store now; the log says why"
            return .text(reason + "\n", status: 503)
        case .closed: return .text("shutting down\n", status: 503)
        }
    }
}
