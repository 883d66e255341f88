/// What an attribute may be (docs/protocol.md, Events). An event with another value is refused. Literals of
/// Swift become one by themselves:
///
///     Sojourn.event("order.placed", ["total": 12.5, "items": 3, "paid": true])
public enum Value: Sendable, Hashable {
    /// A text of at most 1,024 bytes of UTF-8, without U+0000.
    case string(String)
    /// An integer within ±(2^53−1).
    case integer(Int64)
    /// A finite number.
    case double(Double)
    /// True or false.
    case boolean(Bool)
}

extension Value: ExpressibleByStringLiteral {
    /// A text in the code, such as `"red"`.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByIntegerLiteral {
    /// An integer in the code, such as `3`.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension Value: ExpressibleByFloatLiteral {
    /// A number in the code, such as `12.5`.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Value: ExpressibleByBooleanLiteral {
    /// `true` or `false` in the code.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension Value {
    /// A text.
    public init(_ text: some StringProtocol) { self = .string(String(text)) }

    /// An integer; beyond 64 bits it is the nearest, which is refused.
    public init(_ integer: some BinaryInteger) { self = .integer(Int64(clamping: integer)) }

    /// A number.
    public init(_ number: Double) { self = .double(number) }

    /// True or false.
    public init(_ boolean: Bool) { self = .boolean(boolean) }
}
