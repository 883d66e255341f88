import Storage

/// What an erasure removed.
package struct ErasedDevice: Sendable, Equatable {
    /// Stored batches.
    package var batches: Int64 = 0
    /// Their events, as far as no prune had deleted them.
    package var events: Int64 = 0
    /// Names of events, keys of attributes, and combinations of what batches say of a device, that nobody else used.
    package var names: Int64 = 0
    package var resources: Int64 = 0
    /// Nothing of it is in the log or in the gaps of the file either. False while a reader holds the log
    /// up: the store goes on trying by itself.
    package var isClean = true

    /// Adds what a further step removed.
    mutating func add(_ other: ErasedDevice) {
        batches += other.batches
        events += other.events
        names += other.names
        resources += other.resources
    }
}
