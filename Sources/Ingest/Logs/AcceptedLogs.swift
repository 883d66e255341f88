import Events

/// What a worker makes of a request to the logs endpoint that is no error.
package struct AcceptedLogs: Sendable {
    /// What may be stored, in order; none of a large request.
    package var batches: [LogBatch]
    /// A large request, of which part after part is judged once more; nil: it is a small one.
    package var rest: LogsRest?
    /// The records of the whole request that are not taken.
    package var rejections: LogRejections
    /// ResourceLogs that are refused, since their resource has no device.
    package var refusedResources: Int
    /// The one device of all records; nil where they are of several, or of none.
    package var device: DeviceHash?
    /// That one is known to be shared by many.
    package var isShared: Bool
}

/// A batch of a request, and where its records stand in it.
package struct LogBatch: Sendable {
    package internal(set) var batch: AcceptedBatch
    package let places: RecordPlaces
}
