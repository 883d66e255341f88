import Database
import Forwarding
import Ingest
import JSON
import Logging
import Storage
import Upkeep

extension Cluster {
    /// A server's; nil without `forward-to`.
    /// - Parameter signals: ends the process where it must not hand over
    static func serving(
        _ settings: Settings, _ store: Store, _ signals: StopSignals, _ meters: Meters,
        _ logger: Logging.Logger
    ) throws(AdminFailure) -> Cluster? {
        guard let forward = settings.forward else { return nil }
        var observer = ForwarderObserver()
        observer.requested = { meters.forwardSeconds.observe(Int(clamping: $0)) }
        observer.failed = { logger.warning("cannot hand over, trying again: \($0)") }
        observer.recovered = { logger.notice("hand-over works again") }
        observer.refused = { signals.stop(AdminFailure($0)) }
        observer.again = { server, moment in
            guard let moment else {
                logger.warning(
                    "engine \(server) has nothing of what was handed over to it: all that this node holds is handed over again"
                )
                return
            }
            logger.notice(
                "engine \(server) was started again or is asked in another's place: what was handed over after \(Timestamp.text(moment)) is handed over again"
            )
        }
        observer.twin = {
            logger.warning(
                "another node hands over as \(forward.node): give each a name of its own (setting node)"
            )
        }
        observer.learned = { logger.info("took over \($0) apps, keys and tokens of other nodes") }
        observer.passedOver = { row, reason in
            logger.warning(
                "cannot take over \(row.kind.rawValue) \(Printable.text(row.name)) from the engine's registry, nor will other nodes: \(reason)"
            )
        }
        let floor: EventFloor
        do throws(StorageError) { floor = EventFloor(try store.pruneFloor()) } catch {
            throw AdminFailure(error)
        }
        observer.limited = { floor.raise(to: $0, at: Timestamp.milliseconds) }
        observer.pruned = { pruned in
            logger.info("pruned \(pruned.events) events of this node's, as all nodes do")
            if pruned.damaged > 0 {
                logger.warning(
                    "pruned all but \(pruned.damaged) damaged batches; run sojourn verify")
            }
        }
        let gauge = forward.maxSpoolBytes.map { SpoolGauge(limit: Int(clamping: $0)) }
        if let gauge { observer.counted = { gauge.set($0) } }
        return try Cluster(forward, store, observer: observer, gauge: gauge, floor: floor)
    }
}
