/// What an erasure removed.
package struct ErasedDevice: Sendable, Equatable {
    /// Stored batches.
    package var batches: Int64 = 0
    /// Their events, as far as no prune had deleted them.
    package var events: Int64 = 0
    /// Names of events, and combinations of what batches say of a device, that nobody else used.
    package var names: Int64 = 0
    package var resources: Int64 = 0
    /// The log holds nothing of it either. False while a reader holds the log up: the writer goes on
    /// trying by itself.
    package var isLogEmpty = true
}
