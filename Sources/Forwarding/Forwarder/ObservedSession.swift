import Dispatch
import Engine

/// Asks the engine's servers, and tells how long they took.
struct ObservedSession {
    let session: EngineSession
    let observer: ForwarderObserver

    func send(_ request: EngineRequest, toShard shard: Int) throws(ForwardingError) -> [UInt8] {
        try timed { () throws(EngineError) in try session.send(request, toShard: shard) }
    }

    func perform(_ orders: [EngineSession.Order]) throws(ForwardingError) -> [[UInt8]] {
        if orders.isEmpty { return [] }
        return try timed { () throws(EngineError) in try session.perform(orders) }
    }

    private func timed<T>(
        _ work: () throws(EngineError) -> T
    ) throws(ForwardingError) -> T {
        let begin = DispatchTime.now().uptimeNanoseconds
        defer { observer.requested(DispatchTime.now().uptimeNanoseconds &- begin) }
        return try ForwardingError.asking(work)
    }
}
