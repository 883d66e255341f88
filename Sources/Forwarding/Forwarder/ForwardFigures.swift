import Engine

/// What a node has handed over and what is left, for metrics (docs/operation.md, Metrics).
package struct ForwardFigures: Sendable {
    /// Since the start.
    package internal(set) var units: UInt64 = 0
    package internal(set) var batches: UInt64 = 0
    package internal(set) var failures: [EngineError.Kind: UInt64] = [:]
    /// Batches that are not handed over, and their bodies as sent, in bytes.
    package internal(set) var waitingBatches: Int64 = 0
    package internal(set) var waitingBytes: Int64 = 0
    /// Everything that was answered 200 before this moment of the node's clock is handed over; milliseconds
    /// since 1970. Before the first, the start.
    package internal(set) var handedTo: Int64
    /// The node's clock less the engine's, milliseconds; nil while it is not known.
    package internal(set) var clockOffset: Int64?

    init(start: Int64) { handedTo = start }
}
