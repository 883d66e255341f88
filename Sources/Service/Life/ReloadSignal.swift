import Dispatch
import Glibc

/// Calls something on each SIGHUP, which ends the process no longer.
final class ReloadSignal {
    private let source: any DispatchSourceSignal

    init(_ action: @escaping @Sendable () -> Void) {
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(
            signal: SIGHUP, queue: DispatchQueue(label: "sojourn.reload"))
        source.setEventHandler(handler: action)
        source.activate()
    }

    deinit { source.cancel() }
}
