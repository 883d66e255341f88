/// One of the few places for answers that come in pages as their readers take them. Free again when
/// nothing holds it any more, however its answer ended.
final class StreamPlace: Sendable {
    private let executor: ReportExecutor
    private let token: Int64?

    /// The executor has counted it in.
    init(in executor: ReportExecutor, for token: Int64?) {
        self.executor = executor
        self.token = token
    }

    deinit { executor.leaveStreamPlace(for: token) }
}
