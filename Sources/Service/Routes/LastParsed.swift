/// What was last parsed of a head: devices send the same bytes again and again. Of one thread.
struct LastParsed<Value> {
    private var first: [UInt8] = []
    private var second: [UInt8] = []
    private var value: Value?
    /// More bytes than that are parsed each time.
    private static var maxBytes: Int { 256 }

    /// What was parsed of exactly these bytes; nil where others were.
    func value(of first: Span<UInt8>, _ second: Span<UInt8> = Span()) -> Value? {
        Self.isEqual(first, self.first) && Self.isEqual(second, self.second) ? value : nil
    }

    /// Keeps this instead.
    mutating func keep(
        _ value: Value, of first: Span<UInt8>, _ second: Span<UInt8> = Span()
    ) {
        guard first.count <= Self.maxBytes, second.count <= Self.maxBytes else { return }
        self.first = first.withUnsafeBufferPointer { Array($0) }
        self.second = second.withUnsafeBufferPointer { Array($0) }
        self.value = value
    }

    private static func isEqual(_ bytes: Span<UInt8>, _ others: [UInt8]) -> Bool {
        guard bytes.count == others.count else { return false }
        for index in others.indices where bytes[index] != others[index] { return false }
        return true
    }
}
