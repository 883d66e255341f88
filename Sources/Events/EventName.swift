/// What the name of an event may be (docs/protocol.md, Events).
package enum EventName {
    /// Whether the bytes are `[a-z][a-z0-9_]*(\.[a-z0-9_]+)*` and not too many.
    package static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= BatchLimit.eventName, let first = bytes.isEmpty ? nil : bytes[0],
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
        else { return false }
        var afterDot = false
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"):
                afterDot = false
            case UInt8(ascii: ".") where !afterDot: afterDot = true
            default: return false
            }
        }
        return !afterDot
    }
}
