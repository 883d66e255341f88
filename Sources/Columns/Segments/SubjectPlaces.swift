import Events

/// Where a batch's events have the attributes that segments keep.
package struct SubjectPlaces {
    /// Places of keys among the batch's; −1 where it has none.
    private var places = [Int](repeating: -1, count: StandardAttribute.allCases.count)

    /// None is known yet.
    package init() {}

    /// The batch has that key there.
    package mutating func set(_ key: StandardAttribute, _ place: Int) {
        places[Int(key.rawValue)] = place
    }

    /// What an event counts.
    package struct Found {
        /// In the event's `attributes`.
        package var subject: Range<Int>?
        package var amount: Int64 = 1

        /// Nothing.
        package init() {}
    }

    /// Finds it in an event's `attributes`.
    package func find(_ name: SegmentName, in attributes: Span<UInt8>) -> Found {
        var found = Found()
        guard let key = name.key else { return found }
        let subject = places[Int(key.rawValue)]
        let amount =
            name.subject == .counter ? places[Int(StandardAttribute.counterValue.rawValue)] : -1
        var walk = ArrayElements.Walk(.bare)
        while case .element(let place) = walk.next(in: attributes),
            case .element(let value) = walk.next(in: attributes)
        {
            let place = attributes.integer(place)
            if place == Int64(subject) {
                found.subject = value
            } else if place == Int64(amount), let number = attributes.integer(value) {
                found.amount = number
            }
        }
        return found
    }
}

extension Span<UInt8> {
    /// The whole number that digits in a range are; nil where they are none, or more than 18.
    package func integer(_ range: Range<Int>) -> Int64? {
        guard (1...18).contains(range.count) else { return nil }
        var value: Int64 = 0
        for place in range {
            guard (0x30...0x39).contains(self[place]) else { return nil }
            value = value * 10 + Int64(self[place] - 0x30)
        }
        return value
    }
}
