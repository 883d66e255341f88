import Synchronization

/// How often marks were taken back by others than the forwarder's thread. Changed on the writer's queue alone:
/// so a mark of a unit that was begun before is not written after.
final class MarkResets: Sendable {
    let count = Atomic(0)
}
