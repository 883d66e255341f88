import Sealing

/// What is left of a large request: its bytes, and where the ResourceLogs stand of which no batches were made
/// yet. So memory is bounded by what was sent, not by how many resources it is cut into. They go in the order of their
/// devices, so that neighbours in the index of devices are stored together: of 50,000 new ones that takes a third of the
/// pages.
package final class LogsRest: @unchecked Sendable {
    /// Never changed; overwritten by `deinit`, which nobody runs beside.
    private var bytes: [UInt8]
    let encoding: LogsEncoding
    let context: JudgeContext
    let app: AccessList.App
    /// Bytes of the body, which count with the first batch of all.
    private let sent: Int
    private let first: Int
    /// Of one thread at a time: the one that judges the next part, after the part before it was stored.
    var pieces: ArraySlice<LogJudge.Piece>

    init(
        _ bytes: Span<UInt8>, _ encoding: LogsEncoding, _ context: JudgeContext,
        app: AccessList.App, pieces: [LogJudge.Piece], sent: Int
    ) {
        self.bytes = bytes.withUnsafeBufferPointer { Array($0) }
        self.encoding = encoding
        self.context = context
        self.app = app
        self.sent = sent
        first = pieces.first?.index ?? 0
        self.pieces = pieces.sorted { ($0.device, $0.index) < ($1.device, $1.index) }[...]
    }

    deinit { bytes.overwrite() }

    /// Bytes of the body that count with the first batch of a ResourceLogs.
    func bytes(of piece: LogJudge.Piece) -> Int { piece.index == first ? sent : 0 }

    /// How many ResourceLogs are left.
    package var count: Int { pieces.count }

    /// Nothing is left.
    package var isEmpty: Bool { pieces.isEmpty }

    /// Bytes of memory.
    package var memory: Int { bytes.count + pieces.count * MemoryLayout<LogJudge.Piece>.stride }

    func withBytes<T>(_ body: (Span<UInt8>) -> T) -> T {
        bytes.withUnsafeBufferPointer { body($0.span) }
    }
}
