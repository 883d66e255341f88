/// What an attribute may be (wire.md §2.1). Literals of Swift become one by themselves:
///
///     Sojourn.event("order.placed", ["total": 12.5, "items": 3, "paid": true])
public enum Value: Sendable, Hashable {
    /// At most 1,024 bytes of UTF-8, without U+0000.
    case string(String)
    /// Within ±(2^53−1).
    case integer(Int64)
    /// Finite.
    case double(Double)
    case boolean(Bool)
}

extension Value: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension Value: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Value: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}
