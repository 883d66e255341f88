/// The steps of a funnel that an event matches, by its name and its attributes: as bits, the lowest
/// for the first step.
struct FunnelMasks {
    /// Steps that an event matches if an attribute has a value.
    private struct Condition {
        /// The attribute's index among the keys.
        let key: Int
        /// The value as a JSON string.
        let string: [UInt8]
        /// The value as the JSON text of a number or a boolean; empty if it cannot be one.
        let text: [UInt8]
        let mask: UInt16
    }

    /// The steps that any event of a name matches, by the index of the name.
    let plain: [UInt16]
    /// The conditions of the other steps, by the index of the name.
    private let conditions: [[Condition]]

    /// Compiles steps whose names and keys are among `names` and `keys`.
    init(_ steps: [EventMatcher], names: [ByteText], keys: [ByteText]) {
        var plain = [UInt16](repeating: 0, count: names.count)
        var conditions = [[Condition]](repeating: [], count: names.count)
        for (index, step) in steps.enumerated() {
            guard let name = names.firstIndex(of: step.name) else { continue }
            let bit = FunnelWalk.bit(index + 1)
            guard let attribute = step.attribute, let key = keys.firstIndex(of: attribute) else {
                plain[name] |= bit
                continue
            }
            // A value in quotes is no number, but as JSON text it would match another string.
            let isQuoted = step.value.bytes.first == UInt8(ascii: "\"")
            conditions[name].append(
                Condition(
                    key: key, string: step.value.json, text: isQuoted ? [] : step.value.bytes,
                    mask: bit))
        }
        self.plain = plain
        self.conditions = conditions
    }

    /// Whether an attribute, by its index among the keys, matters for events of a name.
    func isConditional(_ name: Int, _ key: Int) -> Bool {
        conditions[name].contains { $0.key == key }
    }

    /// The steps that an event of a name matches by the value of an attribute.
    /// - Parameter value: a JSON scalar in the form in which batches store it
    func matching(_ value: Span<UInt8>, _ name: Int, _ key: Int) -> UInt16 {
        var mask: UInt16 = 0
        for condition in conditions[name] where condition.key == key {
            if value.isEqual(value.indices, condition.string)
                || value.isEqual(value.indices, condition.text)
            {
                mask |= condition.mask
            }
        }
        return mask
    }
}
