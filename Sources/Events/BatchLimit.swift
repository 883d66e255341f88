/// How much a batch may hold (docs/protocol.md, Limits). Bytes unless it says otherwise; an operator
/// cannot change them.
package enum BatchLimit {
    /// Characters, all of them ASCII.
    package static let batchID = 64
    package static let deviceID = 256
    /// A listed member of `resource`.
    package static let resourceMember = 128
    package static let eventName = 64
    package static let sessionID = 64
    /// Attributes of an event.
    package static let attributes = 32
    package static let attributeKey = 64
    package static let attributeText = 1024
    /// A text that a standard event requires.
    package static let standardText = 128
    /// What a counter may go up by.
    package static let counterValue: Int64 = 1_000_000_000
    /// The greatest integer, 2^53−1: up to it every double is exact. Its negative is the least.
    package static let integer: Int64 = 9_007_199_254_740_991
    /// How far after arrival an event may lie: 24 hours, in milliseconds.
    package static let eventLead: Int64 = 86_400_000

    /// Whether a `batch_id` may be made of these characters (docs/protocol.md, The batch).
    package static func allowsInBatchID(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: ":"), UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return true
    }
}
