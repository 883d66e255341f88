import JSON
import Service
import Synchronization

/// Tells a person that something is tried again, at once and then not more often than every ten
/// seconds.
final class WaitNotice: Sendable {
    /// Milliseconds.
    static let pause: Int64 = 10_000

    private let output: any TextOutput
    private let clock: @Sendable () -> Int64
    private let told = Mutex<Int64?>(nil)

    /// - Parameter clock: milliseconds
    init(_ output: any TextOutput, clock: @escaping @Sendable () -> Int64) {
        self.output = output
        self.clock = clock
    }

    /// - Parameters:
    ///   - reason: why it has to be, a sentence
    ///   - patience: milliseconds for which one batch is tried
    func tell(_ reason: String, patience: Int64) {
        let now = clock()
        let isDue = told.withLock { told in
            if let last = told, now - last < Self.pause, now >= last { return false }
            told = now
            return true
        }
        guard isDue else { return }
        let length = DurationText.text(milliseconds: patience)
        output.write("sojourn: \(Printable.text(reason)); trying again, each batch for \(length)\n")
    }
}
