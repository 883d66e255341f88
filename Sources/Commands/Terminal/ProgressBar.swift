import Synchronization

/// How far something is, on a terminal; nothing elsewhere.
final class ProgressBar: Sendable {
    private static let width = 32
    /// Milliseconds between two drawings, where what is said changes all the time.
    private static let pause: Int64 = 200

    private let output: any TextOutput
    private let unit: String
    private let drawn = Mutex<Drawn?>(nil)

    /// What stands on the terminal.
    private struct Drawn {
        var hundredths: Int
        /// When, ms.
        var moment: Int64
    }

    init(_ output: any TextOutput, unit: String) {
        self.output = output
        self.unit = unit
    }

    func show(_ done: Int, of total: Int) {
        guard output.isTerminal, total > 0 else { return }
        let hundredths = done * 100 / total
        drawn.withLock { drawn in
            guard drawn?.hundredths != hundredths else { return }
            drawn = Drawn(hundredths: hundredths, moment: 0)
            output.write("\r\(Self.bar(hundredths)) of \(total) \(unit)")
        }
    }

    /// - Parameters:
    ///   - share: From 0 to 1.
    ///   - moment: Milliseconds of a clock that is never set.
    ///   - detail: What else there is to say.
    func show(_ share: Double, at moment: Int64, _ detail: () -> String) {
        guard output.isTerminal else { return }
        drawn.withLock { drawn in
            if let last = drawn, moment - last.moment < Self.pause { return }
            let hundredths = Int(share * 100)
            drawn = Drawn(hundredths: hundredths, moment: moment)
            output.write("\r\(Self.bar(hundredths)), \(detail())\u{1B}[K")
        }
    }

    private static func bar(_ hundredths: Int) -> String {
        let filled = hundredths * width / 100
        return String(repeating: "█", count: filled)
            + String(repeating: "·", count: width - filled) + " \(hundredths)%"
    }

    /// Clears the line.
    func finish() {
        drawn.withLock { drawn in
            if drawn != nil { output.write("\r\u{1B}[K") }
            drawn = nil
        }
    }
}
