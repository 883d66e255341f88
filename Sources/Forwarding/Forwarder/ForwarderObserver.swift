import Database
import Engine
import Events
import Storage
import Upkeep

/// Who is told what a forwarder does, on its own thread: be quick.
package struct ForwarderObserver: Sendable {
    /// A request has ended, after so many nanoseconds.
    package var requested: @Sendable (UInt64) -> Void = { _ in }
    /// It cannot hand over, for another reason than before.
    package var failed: @Sendable (ForwardingError) -> Void = { _ in }
    /// It hands over again.
    package var recovered: @Sendable () -> Void = {}
    /// It must never hand over anything to that engine.
    package var refused: @Sendable (EngineError) -> Void = { _ in }
    /// A server was started again, or has come in another's place, and gets again what was handed over after a
    /// moment; nil: it has nothing of it, and gets all.
    package var again: @Sendable (_ server: String, _ after: Int64?) -> Void = { _, _ in }
    /// So many apps, keys and tokens were taken over from other nodes.
    package var learned: @Sendable (Int) -> Void = { _ in }
    /// A row of the engine's registry cannot be taken over.
    package var passedOver: @Sendable (RegistryRow, StorageError) -> Void = { _, _ in }

    /// Another node hands over under this one's name.
    package var twin: @Sendable () -> Void = {}
    /// So many bytes of bodies wait.
    package var counted: @Sendable (Int64) -> Void = { _ in }
    /// No event from before a moment is to be taken any more; milliseconds since 1970.
    package var limited: @Sendable (PruneFloor) -> Void = { _ in }
    /// Events went from the spool, since all nodes prune.
    package var pruned: @Sendable (Pruned) -> Void = { _ in }

    package init() {}
}
