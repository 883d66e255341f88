import Dispatch
import Glibc
import Synchronization

/// Waits for SIGTERM or SIGINT. While it lives neither ends the process by itself, so that a stop that
/// comes during the start is not lost.
final class StopSignals {
    private let arrived = DispatchSemaphore(value: 0)
    private var sources: [any DispatchSourceSignal] = []
    private let name = Mutex("")

    init() {
        signal(SIGPIPE, SIG_IGN)
        for (number, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                self.name.withLock { $0 = name }
                arrived.signal()
            }
            source.activate()
            sources.append(source)
        }
    }

    /// The name of the one that came.
    func wait() -> String {
        arrived.wait()
        return name.withLock { $0 }
    }
}

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
