import Foundation
import HTTP1
import Synchronization

/// Counts itself, its begin and its cancel on the board.
class CountedSource: @unchecked Sendable {
    // Nothing here changes; what subclasses add is behind a lock.
    let board: TestHandler.Board

    init(_ board: TestHandler.Board) {
        self.board = board
        board.sources.add(1, ordering: .relaxed)
    }

    deinit { board.sources.subtract(1, ordering: .relaxed) }

    func cancel() { board.cancelled.add(1, ordering: .relaxed) }
}

/// A body without end.
final class EndlessSource: CountedSource, BodySource, @unchecked Sendable {
    func begin(wake: @escaping @Sendable () -> Void) { board.begun.add(1, ordering: .relaxed) }

    func pull(into output: inout [UInt8], limit: Int) -> BodyStep {
        output += [UInt8](repeating: 0x62, count: limit)
        board.pulled.add(limit, ordering: .relaxed)
        return .more
    }
}

/// A body that comes when a test gives it.
final class HeldSource: CountedSource, BodySource, @unchecked Sendable {
    private struct State {
        var wake: (@Sendable () -> Void)?
        var pieces: [String] = []
        var last: BodyStep?
    }
    private let state = Mutex(State())

    func begin(wake: @escaping @Sendable () -> Void) {
        board.begun.add(1, ordering: .relaxed)
        state.withLock { $0.wake = wake }
    }

    /// Has more to say; `last` if that is all.
    func give(_ piece: String, _ last: BodyStep? = nil) {
        let wake = state.withLock { state in
            if !piece.isEmpty { state.pieces.append(piece) }
            state.last = last
            return state.wake
        }
        wake?()
    }

    func pull(into output: inout [UInt8], limit: Int) -> BodyStep {
        state.withLock { state in
            guard !state.pieces.isEmpty else { return state.last ?? .later }
            output += Array(state.pieces.removeFirst().utf8)
            return .more
        }
    }
}

/// Ten lines, each from another thread.
final class CountingSource: CountedSource, BodySource, @unchecked Sendable {
    private struct State {
        var wake: (@Sendable () -> Void)?
        var ready = 0
        var sent = 0
    }
    private let state = Mutex(State())

    func begin(wake: @escaping @Sendable () -> Void) {
        board.begun.add(1, ordering: .relaxed)
        state.withLock { $0.wake = wake }
        produce()
    }

    private func produce() {
        DispatchQueue.global().async {
            let wake = self.state.withLock { state in
                state.ready += 1
                return state.wake
            }
            wake?()
        }
    }

    func pull(into output: inout [UInt8], limit: Int) -> BodyStep {
        let step: (line: String?, step: BodyStep) = state.withLock { state in
            guard state.sent < state.ready else { return (nil, .later) }
            state.sent += 1
            return ("\(state.sent)\n", state.sent == 10 ? .end : .later)
        }
        if let line = step.line {
            output += Array(line.utf8)
            if case .later = step.step { produce() }
        }
        return step.step
    }
}
