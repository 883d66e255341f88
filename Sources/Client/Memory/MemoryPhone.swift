import Compression

/// What a client in memory runs in: clocks that are moved by hand, chance that is given, and a network of one
/// request.
package final class MemoryPhone: Surroundings {
    package typealias Folder = MemoryDisk

    /// A request that the client has made.
    package struct Request {
        package let attempt: Int
        /// The batch's text, not sealed yet.
        package let text: [UInt8]
    }

    /// Milliseconds since 1970, as they are.
    package var now: Int64
    /// By how much the device's clock is ahead, ms.
    package var error: Int64
    private var request: Request?
    private var cancelled: Int?
    private let draw: () -> UInt64

    /// Bytes of a sealed body at most (client.md §4), less what sealing adds.
    private static let capacity = 65_535 - 128

    /// - Parameter draw: 64 random bits.
    package init(at now: Int64, error: Int64, draw: @escaping () -> UInt64) {
        self.now = now
        self.error = error
        self.draw = draw
    }

    /// The request that was made since the last time.
    package func takeRequest() -> Request? {
        defer { request = nil }
        return request
    }

    /// The attempt that was called off since the last time.
    package func takeCancelled() -> Int? {
        defer { cancelled = nil }
        return cancelled
    }

    /// The device is never switched off.
    package var monotonic: Int64 { now * 1_000_000 }
    package var wall: Int64 { now + error }
    package func random() -> UInt64 { draw() }

    package func excess(of text: [UInt8]) -> Double {
        // Packed it is no larger.
        let count = text.count <= Self.capacity ? text.count : Gzip.compress(text.span).count
        return Double(count) / Double(Self.capacity)
    }

    package func seal(_ text: [UInt8]) -> [UInt8]? { text }

    package func post(_ body: [UInt8], attempt: Int) {
        request = Request(attempt: attempt, text: body)
    }

    package func cancel(attempt: Int) { cancelled = attempt }
    package func sharedID(orMake own: String) -> String? { nil }
    package func share(_ id: String) {}
    package func isOff() {}
    package func log(_ line: String) {}
}
