/// A device and all of it that stands in the server. Devices that the server cannot tell apart are one.
package struct ToldDevice: Sendable {
    /// Its id is one that many devices share: it counts in no column of devices.
    package var isShared: Bool
    package var batches: [ToldBatch]
    /// In any order.
    package var events: [ToldEvent]

    package init(isShared: Bool, batches: [ToldBatch], events: [ToldEvent]) {
        self.isShared = isShared
        self.batches = batches
        self.events = events
    }
}
