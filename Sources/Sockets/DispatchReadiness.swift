import CLinux
import Dispatch
import Synchronization

/// Readiness by dispatch sources, for systems without epoll.
///
/// A source says that something has changed, and no more. On Linux one that has seen its connection
/// reset reports once and never again, as if for the octets that came before the reset: whoever
/// reads those and waits for the next report waits for ever. So with each report the descriptor is
/// asked how it is.
///
/// On Linux this is for tests: there libdispatch keeps its books of hung-up descriptors without a
/// lock (swift-corelibs-libdispatch #949), which thousands of resets at a time do not survive.
final class DispatchReadiness {
    private struct Entry {
        var reading: OneShotSource
        var writing: OneShotSource?
    }

    let arrived = DispatchSemaphore(value: 0)
    private let arrivals = Arrivals()
    private let queue = DispatchQueue(label: "sojourn.readiness")
    private let cancelled = DispatchGroup()
    private var entries: [UInt64: Entry] = [:]

    /// What sources have reported and the loop has not taken.
    private final class Arrivals: Sendable {
        let events = Mutex<[Readiness.Event]>([])
    }

    func add(_ descriptor: Int32, _ token: UInt64) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        entries[token] = Entry(
            reading: OneShotSource(source, report: report(descriptor, token, CLINUX_READABLE)),
            writing: nil)
    }

    func awaitInput(_ token: UInt64) { entries[token]?.reading.rearm() }

    func awaitRoom(_ descriptor: Int32, _ token: UInt64) {
        guard let entry = entries[token] else { return }
        if let writing = entry.writing {
            writing.rearm()
            return
        }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        entries[token]?.writing = OneShotSource(
            source, report: report(descriptor, token, CLINUX_WRITABLE))
    }

    /// What a source does when it fires; its descriptor is open for as long as it may.
    private func report(_ descriptor: Int32, _ token: UInt64, _ flag: Int) -> @Sendable () -> Void {
        { [arrivals, arrived] in
            // Its own flag also where the loop has been there already: the loop arms it again.
            let flags = clinux_ready(descriptor) | UInt32(flag)
            arrivals.events.withLock { $0.append(Readiness.Event(token: token, flags: flags)) }
            arrived.signal()
        }
    }

    /// The descriptor may be closed only when its sources have let go of it.
    func remove(_ token: UInt64, closing descriptor: Int32?) {
        guard let entry = entries.removeValue(forKey: token) else { return }
        let group = DispatchGroup()
        cancelled.enter()
        entry.reading.cancel(group)
        entry.writing?.cancel(group)
        group.notify(queue: queue) { [cancelled] in
            if let descriptor { SystemCalls.close(descriptor) }
            cancelled.leave()
        }
    }

    func wait(_ nanoseconds: Int64?, into events: inout [Readiness.Event]) {
        if let nanoseconds {
            _ = arrived.wait(timeout: .now() + .nanoseconds(Int(max(0, nanoseconds))))
        } else {
            arrived.wait()
        }
        // The signals of what is taken now would only end waits early.
        while arrived.wait(timeout: .now()) == .success {}
        arrivals.events.withLock { swap(&$0, &events) }
    }

    func shutDown() { cancelled.wait() }
}
