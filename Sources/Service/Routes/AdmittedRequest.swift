import Ingest

/// A request whose body is worth reading: where it goes, and what its head has proved.
final class AdmittedRequest {
    let route: Route
    /// Of a batch.
    let batch: AdmittedBatch?
    /// For the log, where that wants to know.
    let note: RequestNote?

    init(_ route: Route, batch: AdmittedBatch? = nil, note: RequestNote? = nil) {
        self.route = route
        self.batch = batch
        self.note = note
    }
}
