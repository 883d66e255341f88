import Synchronization

/// How far something is, on a terminal; nothing elsewhere.
final class ProgressBar: Sendable {
    private static let width = 32

    private let output: any TextOutput
    private let unit: String
    /// Hundredths that are drawn; nil where nothing is.
    private let drawn = Mutex<Int?>(nil)

    init(_ output: any TextOutput, unit: String) {
        self.output = output
        self.unit = unit
    }

    func show(_ done: Int, of total: Int) {
        guard output.isTerminal, total > 0 else { return }
        let hundredths = done * 100 / total
        drawn.withLock { drawn in
            guard drawn != hundredths else { return }
            drawn = hundredths
            let filled = hundredths * Self.width / 100
            let bar =
                String(repeating: "█", count: filled)
                + String(repeating: "·", count: Self.width - filled)
            output.write("\r\(bar) \(hundredths)% of \(total) \(unit)")
        }
    }

    /// Clears the line.
    func finish() {
        drawn.withLock { drawn in
            if drawn != nil { output.write("\r\u{1B}[K") }
            drawn = nil
        }
    }
}
