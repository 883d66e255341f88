import FoundationEssentials
import HTTP1
import Sockets
import Storage

/// `POST /control` on the control socket: an operation in, what it did out. The socket's file mode
/// guards it; a user who may open the data directory may do all of this.
struct ControlRoute: Sendable {
    static let path = "/control"
    let operations: AdminOperations
    let executor: ReportExecutor

    func handle(_ body: Span<UInt8>, _ exchange: Exchange) {
        let bytes = body.withUnsafeBufferPointer { Data($0) }
        guard let operation = try? JSONDecoder().decode(AdminOperation.self, from: bytes) else {
            return exchange.respond(
                .problem(Problem(.badRequest, detail: "Use the program of the same version.")))
        }
        let (operations, executor) = (operations, executor)
        // Changes wait for the writer, which no event loop may.
        executor.offLoop {
            let answer: AdminAnswer
            do throws(AdminFailure) {
                let result = try operations.perform(operation)
                if case .readers(let others) = result {
                    answer = .done(.readers(executor.computing + others))
                } else {
                    answer = .done(result)
                }
            } catch {
                answer = .failed(error)
            }
            guard let json = try? JSONEncoder().encode(answer) else {
                return exchange.respond(.problem(Problem(.internalError)))
            }
            exchange.respond(
                Response(status: 200, contentType: "application/json", body: Array(json)))
        }
    }
}

/// `GET /readyz`: whether a batch could be stored now.
struct ReadinessRoute: Sendable {
    let clock: ArrivalClock
    let writer: StoreWriter
    /// Nil where nothing limits the spool.
    let gauge: SpoolGauge?
    let stop: StopFlag

    /// `/readyz`: 200 when a batch could be stored now (docs/operation.md, HTTP).
    var response: Response {
        if stop.isRaised { return .text("shutting down\n", status: 503) }
        let now = Timestamp.milliseconds
        guard clock.isPossible(now) else {
            return .text("the clock is before this program was made: set it\n", status: 503)
        }
        guard clock.isUsable(now) else {
            return .text(
                "the clock is before what has arrived already: set it, or say sojourn clock accept\n",
                status: 503)
        }
        if gauge?.isFull == true {
            return .text(
                "the spool is full: the engine has not taken what max-spool-bytes allows\n",
                status: 503)
        }
        switch writer.readiness {
        case .ready: return .text("ready\n")
        case .failing(.walHeld):
            return .text("the database's log is held up by a reader\n", status: 503)
        case .failing(let error):
            let isFull = error.kind == .storageFull
            let reason = isFull ? "the disk is full" : "cannot store now; the log says why"
            return .text(reason + "\n", status: 503)
        case .closed: return .text("shutting down\n", status: 503)
        }
    }
}
