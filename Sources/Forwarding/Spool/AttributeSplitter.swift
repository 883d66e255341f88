import Columns
import Database
import Engine
import Events
import JSON

/// Takes the attributes of a batch's events apart, as `event.attributes` has them: index of the key and
/// value in turn.
struct AttributeSplitter: ~Copyable {
    /// What the last event is about; empty where its name has no subject.
    private(set) var subject: [UInt8] = []
    /// By how much the last event's counter went up; 0 where it is none.
    private(set) var amount: Int64 = 0

    /// The batch's keys, one after another.
    private var keyTexts: [UInt8] = []
    private var keys: [Range<Int>] = []
    /// Where each standard attribute is among them; −1 where the batch has not the key.
    private var standard = [Int](repeating: -1, count: StandardAttribute.allCases.count)
    private var scalars = JSONScalars()

    /// Begins with a batch.
    /// - Parameter rows: of its keys
    mutating func begin(_ rows: [Int64], _ words: inout SpoolWords) throws(StorageError) {
        keys.removeAll(keepingCapacity: true)
        keyTexts.removeAll(keepingCapacity: true)
        for index in standard.indices { standard[index] = -1 }
        for row in rows {
            let key = try words.key(row)
            if let attribute = key.standard { standard[Int(attribute.rawValue)] = keys.count }
            let start = keyTexts.count
            keyTexts += key.text
            keys.append(start..<keyTexts.count)
        }
    }

    /// Adds an event's attributes to the columns.
    /// - Parameter attribute: with the subject of events of its name
    /// - Returns: false where the text is no list of keys and values
    mutating func split(
        _ text: Span<UInt8>, subject attribute: StandardAttribute?,
        into columns: inout EventColumns
    ) -> Bool {
        if !subject.isEmpty { subject.removeAll(keepingCapacity: true) }
        let isCounter = attribute == .counterName
        // docs/reports.md: 1 where an event has none.
        amount = isCounter ? 1 : 0
        let subjectIndex = attribute.map { standard[Int($0.rawValue)] } ?? -1
        let amountIndex = isCounter ? standard[Int(StandardAttribute.counterValue.rawValue)] : -1
        // Held apart from what changes meanwhile.
        let texts = keyTexts
        var walk = ArrayElements.Walk(.bare)
        while true {
            let step = walk.next(in: text)
            if case .end = step { return true }
            guard case .element(let digits) = step, let number = text.integer(digits),
                let index = Int(exactly: number), keys.indices.contains(index),
                case .element(let range) = walk.next(in: text)
            else { return false }
            let json = text.extracting(range)
            if index == subjectIndex, !scalars.append(json, to: &subject) { return false }
            if index == amountIndex, let value = text.integer(range) { amount = value }
            guard add(json, key: texts.span.extracting(keys[index]), to: &columns) else {
                return false
            }
        }
    }

    @inline(__always)
    private mutating func add(
        _ json: Span<UInt8>, key: Span<UInt8>, to columns: inout EventColumns
    ) -> Bool {
        switch json[0] {
        case UInt8(ascii: "\""):
            return scalars.withString(json) { text in
                columns.attribute(key: key, .string, text: text, number: 0)
            }
        case UInt8(ascii: "t"), UInt8(ascii: "f"):
            columns.attribute(key: key, .bool, text: json, number: 0)
            return true
        default:
            guard let number = DecimalForm.double(json) else { return false }
            columns.attribute(key: key, .number, text: json, number: number)
            return true
        }
    }
}
