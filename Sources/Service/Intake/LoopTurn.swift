import Storage

/// Which bodies an event loop judges when: those that come in the first 2 ms of its turn at once; those that come later
/// wait until all connections that are ready have been read, and are then judged for 2 ms a turn, app by app, each app's
/// for 2 ms in all before it is the next one's turn. So an app that posts on many connections keeps others waiting no
/// longer than on one (docs/operation.md, Settings). Pure: the moment is handed in. Of one loop.
struct LoopTurn<Body> {
    /// Nanoseconds.
    static var share: Int64 { 2_000_000 }

    private var waiting = Turns<Int64, (app: Int64, body: Body)>()
    /// When the first body of this turn came; nil: none has.
    private var begunAt: Int64?
    /// When the first body that had waited was taken in this turn; nil: none was.
    private var resumedAt: Int64?
    /// The app whose bodies are judged, since when in this turn, and how many nanoseconds it had left then.
    private var served: (app: Int64, since: Int64, left: Int64)?

    /// Nothing waits.
    init() {}

    /// A body has come.
    /// - Parameter now: nanoseconds of a clock that is never set
    /// - Returns: whether it is to be judged at once; else it has to wait.
    mutating func mayJudge(at now: Int64) -> Bool {
        guard waiting.isEmpty else { return false }
        guard let begunAt else {
            self.begunAt = now
            return true
        }
        return now - begunAt < Self.share
    }

    /// A body waits.
    /// - Parameter app: row id
    mutating func append(_ body: Body, of app: Int64) { waiting.append((app, body), of: app) }

    /// All connections that were ready have been read.
    /// - Returns: whether bodies wait; `next` has those of this turn
    mutating func end() -> Bool {
        begunAt = nil
        return !waiting.isEmpty
    }

    /// The next body: of the app whose turn it is, or of the one after it once that has none, or has had its share; nil
    /// at the end of the turn.
    mutating func next(at now: Int64) -> Body? {
        if resumedAt == nil { served?.since = now }
        let begun = resumedAt ?? now
        let left = served.map { $0.left - (now - $0.since) } ?? 0
        guard now - begun < Self.share else {
            resumedAt = nil
            // What it has not had it has in the next turn.
            if left > 0 { served?.left = left } else { served = nil }
            return nil
        }
        resumedAt = begun
        if let served, left > 0, let next = waiting.takeFirst(of: served.app) { return next.body }
        served = nil
        guard let first = waiting.next() else {
            resumedAt = nil
            return nil
        }
        served = (first.app, now, Self.share)
        return first.body
    }
}
