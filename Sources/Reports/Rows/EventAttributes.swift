import JSON
import Storage

/// Finds the values of a few attributes in what is stored of events, without a copy of anything: a
/// batch keeps the keys once, an event its values behind the places of their keys.
struct EventAttributes: Sendable {
    /// Rows of the keys looked for; −1 where no event has had it yet.
    private let codes: [Int64]
    /// Their places in the current batch; −1 where it has none.
    private var places: [Int]

    /// For these keys, as devices write them. Throws what the database throws.
    init(_ keys: [ByteText], _ reading: Reading) throws(StorageError) {
        let find = try reading.prepare("SELECT id FROM attribute_key WHERE text = ?1")
        var codes: [Int64] = []
        for key in keys {
            try find.bindText(1, key.bytes)
            codes.append(try find.step() ? find.int(0) : -1)
            find.reset()
        }
        self.codes = codes
        places = [Int](repeating: -1, count: keys.count)
    }

    /// Goes on with a batch, by its `attribute_keys`, which are empty where there are none. False
    /// where they cannot be read.
    mutating func begin(_ text: Span<UInt8>) -> Bool {
        guard let given = CodeList.parse(text) else { return false }
        for (key, code) in codes.enumerated() {
            places[key] = given.firstIndex(of: code) ?? -1
        }
        return true
    }

    /// Whether an event of the batch may have the key of that number.
    func mayHave(_ key: Int) -> Bool { places[key] >= 0 }

    /// The value for the key of that number, a JSON scalar, in an event's `attributes`; `.end` where
    /// the event has none.
    func value(_ key: Int, in text: Span<UInt8>) -> ArrayElements.Step {
        let wanted = places[key]
        if wanted < 0 || text.isEmpty { return .end }
        var walk = ArrayElements.Walk(.bare)
        while true {
            guard case .element(let name) = walk.next(in: text) else { return .end }
            let value = walk.next(in: text)
            guard case .element = value, let place = Self.place(text, name) else { return .broken }
            if place == wanted { return value }
        }
    }

    /// The digits of a place.
    private static func place(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard range.count < 7 else { return nil }
        var place = 0
        for index in range {
            guard (0x30...0x39).contains(text[index]) else { return nil }
            place = place * 10 + Int(text[index] - 0x30)
        }
        return place
    }
}

extension ByteText {
    /// As a JSON string with its quotes, in the one form in which texts are stored.
    var json: [UInt8] {
        var out: [UInt8] = []
        JSON.Writer.append(bytes.span, to: &out)
        return out
    }
}

extension Span<UInt8> {
    /// Whether the octets of a range are these.
    func isEqual(_ range: Range<Int>, _ octets: [UInt8]) -> Bool {
        guard range.count == octets.count else { return false }
        var place = range.lowerBound
        for octet in octets {
            if self[place] != octet { return false }
            place += 1
        }
        return true
    }
}
