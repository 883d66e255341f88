import Ingest

/// What the head of a batch's request has told.
struct AdmittedBatch: Sendable {
    let admission: Ingest.Admission
    /// To be judged and not stored.
    let isDryRun: Bool
    /// The keys that were in force when its head came.
    let directory: Directory
    /// For the log, where that wants to know.
    var note: RequestNote?
}
