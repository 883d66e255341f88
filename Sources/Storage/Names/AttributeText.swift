import Columns
import Database
import Events

/// The attributes of an event as `AcceptedBatch.text` and the column `event.attributes` have them:
/// index of the key and value in turn, without brackets.
enum AttributeText {
    /// Calls `body` with the index of each key and the range of its value.
    /// - Parameter text: of the batch
    @inline(__always)
    static func forEachKey(
        of event: AcceptedEvent, in text: Span<UInt8>, _ body: (_ key: Int, Range<Int>) -> Void
    ) {
        let start = Int(event.attributes.lowerBound)
        let range = start..<Int(event.attributes.upperBound)
        if range.isEmpty { return }
        forEachKey(in: text.extracting(range)) { key, value in
            body(key, start + value.lowerBound..<start + value.upperBound)
        }
    }

    /// The same of one event's text. Ends where the text is no such array.
    @inline(__always)
    static func forEachKey(in text: Span<UInt8>, _ body: (_ key: Int, Range<Int>) -> Void) {
        var walk = ArrayElements.Walk(.bare)
        while case .element(let digits) = walk.next(in: text) {
            guard let key = number(text, digits), case .element(let value) = walk.next(in: text)
            else { return }
            body(key, value)
        }
    }

    /// The number of at most nine digits; nil for anything else.
    private static func number(_ text: Span<UInt8>, _ digits: Range<Int>) -> Int? {
        guard digits.count < 10 else { return nil }
        var number = 0
        for offset in digits {
            let digit = Int(text[offset]) - 0x30
            guard (0...9).contains(digit) else { return nil }
            number = number * 10 + digit
        }
        return number
    }
}

/// Which of the keys that a batch lists its events have: all, unless some of these were pruned.
package final class UsedKeys {
    private let events: Statement

    package init(_ connection: Connection) throws(StorageError) {
        events = try connection.prepare(
            """
            SELECT attributes FROM event
            WHERE \(EventID.isSQL("id", ofBatch: "?1"))
            """)
    }

    /// - Parameter keys: as `batch.attribute_keys` has them
    package func of(_ batch: Int64, listing keys: [Int64]) throws(StorageError) -> Set<Int64> {
        var used: Set<Int64> = []
        if keys.isEmpty { return used }
        try events.bind(1, batch)
        defer { events.reset() }
        while used.count < keys.count, try events.step() {
            events.withText(0) { text in
                AttributeText.forEachKey(in: text) { index, _ in
                    if index < keys.count { used.insert(keys[index]) }
                }
            }
        }
        return used
    }
}
