import Ingest

/// A request whose body is worth reading: where it goes, and what its head has proved.
final class AdmittedRequest {
    let route: Route
    /// Of a batch.
    let batch: AdmittedBatch?

    init(_ route: Route, batch: AdmittedBatch? = nil) {
        self.route = route
        self.batch = batch
    }
}
