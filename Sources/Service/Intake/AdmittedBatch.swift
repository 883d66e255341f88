import Ingest

/// What the head of a batch's request has told.
struct AdmittedBatch: Sendable {
    private(set) var admission: Admission
    /// To be judged and not stored.
    let isDryRun: Bool
    /// The keys that were in force when it was looked at last.
    private(set) var directory: AccessList
    /// Row id of the key that the body itself names, once that is known.
    var namedKey: Int64?
    /// For the log, where that wants to know.
    var note: RequestNote?

    init(admission: Admission, isDryRun: Bool, directory: AccessList) {
        self.admission = admission
        self.isDryRun = isDryRun
        self.directory = directory
    }

    /// Whose rate limit it counts against besides its device's; nil where its body has yet to tell.
    var credential: BucketTable.Owner? {
        if let token = admission.token { return .token(token) }
        return (admission.pathKey?.id ?? namedKey).map { .key($0) }
    }

    /// Looks up again what its head proves, where the keys in force are others than those it was admitted
    /// by: a revocation holds for bodies under way.
    mutating func renew(_ directory: AccessList) throws(BatchRefusal) {
        guard directory.version != self.directory.version else { return }
        admission = try admission.renewed(in: directory)
        self.directory = directory
    }
}
