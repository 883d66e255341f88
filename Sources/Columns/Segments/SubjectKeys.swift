import Events

/// Which of a batch's attribute keys are those that segments keep.
package struct SubjectKeys {
    /// Indices among the batch's keys; −1 where the batch has not the key.
    private var indices = [Int](repeating: -1, count: StandardAttribute.allCases.count)

    /// No key is known yet.
    package init() {}

    /// The batch has the key at this index.
    package mutating func set(_ key: StandardAttribute, _ index: Int) {
        indices[Int(key.rawValue)] = index
    }

    /// What a segment keeps of an event's attributes.
    package struct Found {
        /// Range in the event's `attributes`.
        package var subject: Range<Int>?
        package var amount: Int64 = 1

        /// Neither subject nor amount.
        package init() {}
    }

    /// Finds it in an event's `attributes`.
    package func find(_ name: SegmentName, in attributes: Span<UInt8>) -> Found {
        var found = Found()
        guard let subjectKey = name.key else { return found }
        let subject = indices[Int(subjectKey.rawValue)]
        let amount =
            name.subject == .counter ? indices[Int(StandardAttribute.counterValue.rawValue)] : -1
        var walk = ArrayElements.Walk(.bare)
        while case .element(let key) = walk.next(in: attributes),
            case .element(let value) = walk.next(in: attributes)
        {
            let index = attributes.integer(key)
            if index == Int64(subject) {
                found.subject = value
            } else if index == Int64(amount), let number = attributes.integer(value) {
                found.amount = number
            }
        }
        return found
    }
}

extension Span<UInt8> {
    /// The whole number in a range of digits; nil for other text, or more than 18 digits.
    package func integer(_ range: Range<Int>) -> Int64? {
        guard (1...18).contains(range.count) else { return nil }
        var value: Int64 = 0
        for index in range {
            guard (0x30...0x39).contains(self[index]) else { return nil }
            value = value * 10 + Int64(self[index] - 0x30)
        }
        return value
    }
}
