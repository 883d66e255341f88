import Foundation

/// Lets several bodies of code run, one at a time: each says where another may take its turn, and a seed
/// says which.
///
/// What they share needs no lock, since one of them runs at a time; hence the unchecked.
final class Turns: @unchecked Sendable {
    private let semaphores: [DispatchSemaphore]
    private let over = DispatchSemaphore(value: 0)
    private var running: [Int]
    private var draws: SplitMix

    init(_ count: Int, seed: UInt64) {
        semaphores = (0..<count).map { _ in DispatchSemaphore(value: 0) }
        running = Array(0..<count)
        draws = SplitMix(seed: seed)
    }

    /// Runs all to their ends.
    func run(_ bodies: [() -> Void]) {
        for (index, body) in bodies.enumerated() {
            nonisolated(unsafe) let body = body
            Thread.detachNewThread { [self] in
                semaphores[index].wait()
                body()
                running.removeAll { $0 == index }
                if let next = running.randomElement(using: &draws) {
                    semaphores[next].signal()
                } else {
                    over.signal()
                }
            }
        }
        semaphores[0].signal()
        over.wait()
    }

    /// Another may take its turn.
    func pause(_ index: Int) {
        guard let next = running.randomElement(using: &draws), next != index else { return }
        semaphores[next].signal()
        semaphores[index].wait()
    }
}
