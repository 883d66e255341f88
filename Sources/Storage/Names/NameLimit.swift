import Events

/// Which events of a batch bring more new names than their app has left (docs/protocol.md, Names). Events
/// count in the batch's order: one that is taken brings its names for those after it, one that is rejected
/// brings none.
struct NameLimit {
    /// By index in the batch's lists: words that count and that nobody has brought yet.
    private var newNames: [Bool]
    private var newKeys: [Bool]
    private var left: Int

    /// - Parameters:
    ///   - newNames: by index in `AcceptedBatch.names`, whether the app would have one name more with it
    ///   - newKeys: the same of `AcceptedBatch.attributeKeys`
    ///   - left: how many names more the app may have
    init(newNames: [Bool], newKeys: [Bool], left: Int) {
        self.newNames = newNames
        self.newKeys = newKeys
        self.left = max(left, 0)
    }

    /// The events that stay, as indexes in `AcceptedBatch.events`, ascending. To be asked once.
    mutating func kept(of batch: borrowing AcceptedBatch) -> [Int] {
        var kept: [Int] = []
        kept.reserveCapacity(batch.events.count)
        // Of one event; a batch's keys are distinct within it.
        var keys: [Int] = []
        let text = batch.text.span
        for (index, event) in batch.events.enumerated() {
            keys.removeAll(keepingCapacity: true)
            let name = Int(event.name)
            AttributeText.forEachKey(of: event, in: text) { key, _ in
                if newKeys[key] { keys.append(key) }
            }
            let count = keys.count + (newNames[name] ? 1 : 0)
            if count > left { continue }
            left -= count
            newNames[name] = false
            for key in keys { newKeys[key] = false }
            kept.append(index)
        }
        return kept
    }
}
