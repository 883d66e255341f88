/// What waits, in lines of its own for each key (an app), of which each is served in turn: so a line
/// that is long delays only those in it.
package struct Turns<Key: Hashable, Element> {
    /// Whether one more may wait.
    package enum Room {
        case free
        /// After this one, the last of the longest line, has been sent away.
        case insteadOf(Element)
        case none
    }

    private struct Line {
        /// Nil before `head`.
        var elements: [Element?] = []
        var head = 0

        var count: Int { elements.count - head }
        var first: Element? { head < elements.count ? elements[head] : nil }

        mutating func takeFirst() -> Element? {
            guard head < elements.count else { return nil }
            let first = elements[head]
            elements[head] = nil
            head += 1
            if head > 32, head > elements.count / 2 {
                elements.removeFirst(head)
                head = 0
            }
            return first
        }
    }

    private var lines: [Key: Line] = [:]
    /// Whose lines are not empty, in the order in which they came.
    private var order: [Key] = []
    /// Whose turn it is, as an index in `order`.
    private var turn = 0
    /// How many wait in all lines.
    package private(set) var count = 0

    /// Nobody waits.
    package init() {}

    /// Whether it is empty.
    package var isEmpty: Bool { count == 0 }

    /// How many of a key wait.
    package func count(of key: Key) -> Int { lines[key]?.count ?? 0 }

    /// The first of a key's line; it stays.
    package func first(of key: Key) -> Element? { lines[key]?.first }

    /// At the end of a key's line.
    package mutating func append(_ element: Element, of key: Key) {
        if lines[key] == nil { order.append(key) }
        lines[key, default: Line()].elements.append(element)
        count += 1
    }

    /// Makes room for one more of a key, where at most `limit` may wait. While others wait a key has at
    /// most half of that; one that has more, from when it was alone, gives way.
    package mutating func makeRoom(for key: Key, limit: Int) -> Room {
        let own = count(of: key)
        let half = max(limit / 2, 1)
        if own >= half, count > own { return .none }
        if count < limit { return .free }
        guard let longest = order.max(by: { count(of: $0) < count(of: $1) }), longest != key,
            count(of: longest) > half, let last = lines[longest]?.elements.popLast(),
            let last
        else { return .none }
        count -= 1
        return .insteadOf(last)
    }

    /// The first of the next line whose first is ready.
    package mutating func next(where isReady: (Element) -> Bool = { _ in true }) -> Element? {
        guard let index = indexOfNext(where: isReady) else { return nil }
        let key = order[index]
        let element = lines[key]?.takeFirst()
        count -= 1
        turn = index + 1
        if count(of: key) == 0 {
            lines[key] = nil
            order.remove(at: index)
            turn = index
        }
        wrapTurn()
        return element
    }

    /// The first of the next line whose first is so; it stays, and the turn goes on to the line after it.
    /// - Parameter isTooMuch: asked of that one: then the answer is nil, and the turn stays
    package mutating func look(
        where isSo: (Element) -> Bool, unless isTooMuch: (Element) -> Bool = { _ in false }
    ) -> Element? {
        guard let index = indexOfNext(where: isSo), let first = lines[order[index]]?.first,
            !isTooMuch(first)
        else { return nil }
        turn = index + 1
        wrapTurn()
        return first
    }

    /// Takes the first of a key's line.
    package mutating func takeFirst(of key: Key) -> Element? {
        guard let index = order.firstIndex(of: key) else { return nil }
        let element = lines[key]?.takeFirst()
        count -= 1
        if count(of: key) == 0 {
            lines[key] = nil
            order.remove(at: index)
            if turn > index { turn -= 1 }
            wrapTurn()
        }
        return element
    }

    /// After the last it is the first's turn: at once, or who comes next would be served before all who wait.
    private mutating func wrapTurn() { if turn >= order.count { turn = 0 } }

    private func indexOfNext(where isSo: (Element) -> Bool) -> Int? {
        for step in order.indices {
            let index = (turn + step) % order.count
            if let first = lines[order[index]]?.first, isSo(first) { return index }
        }
        return nil
    }
}
