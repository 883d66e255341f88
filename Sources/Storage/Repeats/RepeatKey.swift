/// A row of `repeat_key`: under what a batch is looked for when it comes again.
struct RepeatKey: Equatable {
    /// Row of the device.
    let device: Int64
    /// Of the batch's id (`RepeatDigest`). Others may have the same: what is found is compared with the id
    /// itself.
    let digest: Int64
    /// Row of the batch.
    let batch: Int64
}

extension RepeatKey: Comparable {
    /// As the table is ordered.
    static func < (left: RepeatKey, right: RepeatKey) -> Bool {
        if left.device != right.device { return left.device < right.device }
        if left.digest != right.digest { return left.digest < right.digest }
        return left.batch < right.batch
    }
}

extension RepeatKey {
    /// The fact of `meta` up to which batch all are in `repeat_key`.
    static let reach = "repeat_keys_to"
}
