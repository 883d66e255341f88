/// What was last made of the octets of a head: devices send the same ones again and again. Of one thread.
struct Remembered<Value> {
    private var first: [UInt8] = []
    private var second: [UInt8] = []
    private var value: Value?
    /// More octets than that are made anew each time.
    private static var most: Int { 256 }

    /// What was made of exactly these octets; nil where that was made of others.
    func value(of first: Span<UInt8>, _ second: Span<UInt8> = Span()) -> Value? {
        Self.isEqual(first, self.first) && Self.isEqual(second, self.second) ? value : nil
    }

    /// Remembers this instead.
    mutating func keep(
        _ value: Value, of first: Span<UInt8>, _ second: Span<UInt8> = Span()
    ) {
        guard first.count <= Self.most, second.count <= Self.most else { return }
        self.first = first.withUnsafeBufferPointer { Array($0) }
        self.second = second.withUnsafeBufferPointer { Array($0) }
        self.value = value
    }

    private static func isEqual(_ octets: Span<UInt8>, _ others: [UInt8]) -> Bool {
        guard octets.count == others.count else { return false }
        for place in others.indices where octets[place] != others[place] { return false }
        return true
    }
}
