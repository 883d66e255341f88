/// Which steps of a funnel an event matches, by its name and its attributes: as bits, the lowest for
/// the first step.
struct FunnelMasks {
    /// Steps that an event matches if an attribute has a value.
    struct Condition {
        /// The attribute's place among the keys.
        let key: Int
        /// The value as a JSON string.
        let string: [UInt8]
        /// The value as the JSON text of a number or a boolean; empty if it cannot be one.
        let text: [UInt8]
        let mask: UInt16
    }

    /// The steps that any event matches, by the place of its name.
    let plain: [UInt16]
    /// The others, by the place of the name.
    let conditions: [[Condition]]

    /// Of steps whose names and keys are among `names` and `keys`.
    init(_ steps: [EventMatcher], names: [ByteText], keys: [ByteText]) {
        var plain = [UInt16](repeating: 0, count: names.count)
        var conditions = [[Condition]](repeating: [], count: names.count)
        for (place, step) in steps.enumerated() {
            guard let name = names.firstIndex(of: step.name) else { continue }
            let bit = FunnelWalk.bit(place + 1)
            guard let attribute = step.attribute, let key = keys.firstIndex(of: attribute) else {
                plain[name] |= bit
                continue
            }
            // In quotes it is no number, but would look like another string.
            let isQuoted = step.value.bytes.first == UInt8(ascii: "\"")
            conditions[name].append(
                Condition(
                    key: key, string: step.value.json, text: isQuoted ? [] : step.value.bytes,
                    mask: bit))
        }
        self.plain = plain
        self.conditions = conditions
    }
}
