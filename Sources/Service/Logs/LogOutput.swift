import Dispatch
import Glibc
import Synchronization

/// Writes lines to a descriptor on a thread of its own: nobody who logs waits for a reader that stands still, be it
/// of a pipe, a terminal or the journal. To make the descriptor non-blocking would do so for all processes that share it.
/// Lines that are not written yet take up to 1 MiB; beyond it they are dropped, and one line says how many once
/// there is room again (docs/operation.md, Logs).
package final class LogOutput: Sendable {
    /// Bytes that lines may take while they wait.
    static let limit = 1 << 20
    /// Bytes that a line takes besides its own: what holds it.
    fileprivate static let overhead = 64
    /// How long the start and the end of the process wait for what is not written yet.
    package static let patience = DispatchTimeInterval.seconds(1)

    /// Standard error, of the whole process.
    package static let standardError = LogOutput(descriptor: STDERR_FILENO)

    fileprivate struct Entry {
        let bytes: [UInt8]
        /// How many lines are lost with it: of one that says how many were dropped, these.
        let lines: Int
    }

    fileprivate struct State {
        /// What nobody has begun to write, the oldest first.
        var entries: [Entry] = []
        /// Bytes of all that is not written, with what holds it.
        var bytes = 0
        /// Lines that were dropped, and that no entry tells of.
        var dropped = 0
        var isWriting = false
        /// The last write failed; the next line tries again.
        var hasFailed = false
        /// That write left half a line.
        var isTorn = false
        var describe: @Sendable (_ dropped: Int) -> String = {
            "sojourn: \($0) lines of the log were dropped\n"
        }
    }

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "sojourn.log")
    private let state = Mutex(State())

    /// - Parameter descriptor: stays open as long as this lives
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Sets how the line looks that says how many were dropped, with its end.
    func describeDropped(_ describe: @escaping @Sendable (_ dropped: Int) -> String) {
        state.withLock { $0.describe = describe }
    }

    /// Has a line written, with its end. From any thread; never waits.
    package func write(_ line: [UInt8]) {
        let begins = state.withLock { state in
            // After a gap half of the room has to be free, or one line in two would tell of the other.
            let room = state.dropped > 0 ? Self.limit / 2 : Self.limit
            guard state.bytes + line.count + Self.overhead <= room else {
                state.dropped += 1
                return false
            }
            state.tellOfDropped()
            state.append(Entry(bytes: line, lines: 1))
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { queue.async { self.writeAll() } }
    }

    /// Waits until all that was to be written is, at most so long.
    package func finish(within patience: DispatchTimeInterval = LogOutput.patience) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + patience)
    }

    private func writeAll() {
        while var entries = takeEntries() {
            while let entry = entries.popLast() { write(entry) }
        }
    }

    /// What waits, the oldest last; nil where nothing does.
    private func takeEntries() -> [Entry]? {
        state.withLock { state in
            if state.entries.isEmpty, !state.hasFailed { state.tellOfDropped() }
            guard !state.entries.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer { state.entries = [] }
            return state.entries.reversed()
        }
    }

    /// One write a line, so that lines of processes that share a pipe do not mix.
    private func write(_ entry: Entry) {
        let isTorn = state.withLock { $0.isTorn }
        let bytes = isTorn ? [UInt8(ascii: "\n")] + entry.bytes : entry.bytes
        let left = bytes.withUnsafeBytes { write($0[...]) }
        state.withLock { state in
            state.bytes -= entry.bytes.count + Self.overhead
            state.hasFailed = left > 0
            if left > 0 { state.dropped += entry.lines }
            if left < bytes.count { state.isTorn = left > 0 }
        }
    }

    /// - Returns: how many bytes could not be written
    private func write(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(descriptor, part.baseAddress, part.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Somebody who shares it has set it so.
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&room, 1, -1)
            } else if errno != EINTR {
                break
            }
        }
        return rest.count
    }
}

extension LogOutput.State {
    fileprivate mutating func append(_ entry: LogOutput.Entry) {
        entries.append(entry)
        bytes += entry.bytes.count + LogOutput.overhead
    }

    /// Has what was dropped told of, before what comes next.
    fileprivate mutating func tellOfDropped() {
        guard dropped > 0 else { return }
        append(LogOutput.Entry(bytes: Array(describe(dropped).utf8), lines: dropped))
        dropped = 0
    }
}
