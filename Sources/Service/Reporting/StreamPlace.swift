/// One of the few places for answers that come in pages as their readers take them. Free again when
/// nothing holds it any more, however its answer ended.
final class StreamPlace: Sendable {
    private let executor: ReportExecutor

    /// The executor has counted it in.
    init(in executor: ReportExecutor) { self.executor = executor }

    deinit { executor.leaveStreamPlace() }
}
