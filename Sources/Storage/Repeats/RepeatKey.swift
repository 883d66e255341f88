/// A row of `repeat_key`: under what a batch is looked for when it comes again.
package struct RepeatKey: Equatable {
    /// Row of the device.
    package let device: Int64
    /// Of the batch's id (`RepeatDigest`). Others may have the same: what is found is compared with the id
    /// itself.
    package let digest: Int64
    /// Row of the batch.
    package let batch: Int64

    /// A row.
    package init(device: Int64, digest: Int64, batch: Int64) {
        self.device = device
        self.digest = digest
        self.batch = batch
    }
}

extension RepeatKey: Comparable {
    /// As the table is ordered.
    package static func < (left: RepeatKey, right: RepeatKey) -> Bool {
        if left.device != right.device { return left.device < right.device }
        if left.digest != right.digest { return left.digest < right.digest }
        return left.batch < right.batch
    }
}

extension RepeatKey {
    /// The fact of `meta` up to which batch all are in `repeat_key`.
    package static let reach = "repeat_keys_to"
}
