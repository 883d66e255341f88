import Columns
import Events

extension AcceptedBatch {
    /// A part of a batch, and which words of the whole it has, as indexes in its lists.
    struct Part {
        var batch: AcceptedBatch
        var names: [Int]
        var attributeKeys: [Int]
    }

    /// The batch with some of its events alone, as if the others had been rejected by a rule from the
    /// start, or, where that is nil, had not been sent: its lists have what the events that stay use, in the
    /// order they had.
    /// - Parameter kept: indexes in `events`, ascending
    func keeping(_ kept: [Int], rejectingOthersBy rule: EventRule?) -> Part {
        var names = Selection(of: self.names.count)
        var keys = Selection(of: attributeKeys.count)
        let sessionRanges =
            sessionsJSON.flatMap { ArrayElements.ranges(in: $0.span, .bracketed) } ?? []
        var sessions = Selection(of: sessionRanges.count)
        for index in kept {
            let event = events[index]
            names.take(Int(event.name))
            if event.session >= 0 { sessions.take(Int(event.session)) }
            AttributeText.forEachKey(of: event, in: text.span) { key, _ in keys.take(key) }
        }
        names.number()
        keys.number()
        sessions.number()
        var part = self
        part.names = names.taken.map { self.names[$0] }
        part.attributeKeys = keys.taken.map { attributeKeys[$0] }
        part.sessionsJSON = Self.list(sessions.taken.map { sessionRanges[$0] }, of: sessionsJSON)
        part.text = []
        part.events = kept.map { index in
            var event = events[index]
            event.name = UInt32(names[Int(event.name)])
            if event.session >= 0 { event.session = Int32(sessions[Int(event.session)]) }
            let begin = UInt32(part.text.count)
            AttributeText.forEachKey(of: event, in: text.span) { key, value in
                if part.text.count > begin { part.text.append(UInt8(ascii: ",")) }
                part.text += keys[key].description.utf8
                part.text.append(UInt8(ascii: ","))
                part.text += text[value]
            }
            event.attributes = begin..<UInt32(part.text.count)
            return event
        }
        if !fingerprints.isEmpty { part.fingerprints = kept.map { fingerprints[$0] } }
        if let rule { part.reject(allBut: kept, of: events, by: rule) }
        return Part(batch: part, names: names.taken, attributeKeys: keys.taken)
    }

    private mutating func reject(allBut kept: [Int], of all: [AcceptedEvent], by rule: EventRule) {
        var stays = [Bool](repeating: false, count: all.count)
        for index in kept { stays[index] = true }
        let indexes = all.indices.filter { !stays[$0] }.map { Int(all[$0].index) }
        guard let first = indexes.first else { return }
        rejected += indexes.count
        rejections += indexes.prefix(Rejection.maxReported).map { Rejection(index: $0, rule: rule) }
        rejections.sort { $0.index < $1.index }
        rejections = Array(rejections.prefix(Rejection.maxReported))
        rejectionCounts.append(
            RejectionCount(code: rule.code, count: indexes.count, firstIndex: first))
    }

    private static func list(_ ranges: [Range<Int>], of text: [UInt8]?) -> [UInt8]? {
        guard let text, !ranges.isEmpty else { return nil }
        var list: [UInt8] = []
        for range in ranges {
            list.append(UInt8(ascii: list.isEmpty ? "[" : ","))
            list += text[range]
        }
        list.append(UInt8(ascii: "]"))
        return list
    }

    /// Some of a list's elements, and which indexes they get in a list of these alone.
    private struct Selection {
        private var indexes: [Int]
        /// As indexes in the old list, ascending.
        private(set) var taken: [Int] = []

        init(of count: Int) { indexes = Array(repeating: -1, count: count) }

        mutating func take(_ index: Int) { indexes[index] = 0 }

        mutating func number() {
            taken = indexes.indices.filter { indexes[$0] >= 0 }
            for (new, old) in taken.enumerated() { indexes[old] = new }
        }

        subscript(old: Int) -> Int { indexes[old] }
    }
}
