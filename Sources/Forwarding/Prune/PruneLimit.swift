import Engine
import Events
import FoundationEssentials

/// The last prune of all nodes, as the engine's `registry` has it (docs/scale.md, Erasing, pruning, copies).
package struct PruneLimit: Sendable, Equatable {
    /// The limit of all prunes so far: older events are not taken any more. Milliseconds since 1970.
    package var before: Int64
    /// How old what that one was to delete had to be, milliseconds; nil where a program from before announced it.
    package var age: Int64?
    /// The limit of this prune.
    package var limit: Int64
    /// When it began, milliseconds since 1970: a session that was open then has not ended.
    package var at: Int64
    /// Its number, which each prune has greater than the one before: the day of its limit since 1970-01-01,
    /// unless that was used.
    package var day: Int64
    /// The name of the node that began it.
    package var node: String
    /// The engine has no event any more that was to go: nodes may prune what they have stored.
    package var isDone: Bool
    /// When the first prune began of those that have not come to their end, up to this one; milliseconds since
    /// 1970.
    package var since: Int64
    /// The last one before it that came to its end; nil: none has.
    package var finished: Finished?

    /// A prune that has come to its end: its members as above.
    package struct Finished: Sendable, Equatable, Codable {
        var limit: Int64
        var at: Int64
        var day: Int64
    }

    private static let millisecondsOfDay: Int64 = 86_400_000

    /// The prune that follows one.
    /// - Parameters:
    ///   - last: the last one; nil: none has been
    ///   - limit: milliseconds since 1970
    ///   - now: when it begins, milliseconds since 1970
    ///   - ownDay: by which prune this node's spool is pruned
    init(after last: PruneLimit?, limit: Int64, at now: Int64, node: String, ownDay: Int64) {
        let own = PruneFloor(limit: limit, age: now - limit)
        let greatest = last.map { own.replaces($0.floor, at: now) ? own : $0.floor } ?? own
        (before, age) = (greatest.limit, greatest.age)
        // One that has not come to its end leaves the rest to the next, as far as it is in force.
        self.limit = last?.isDone == false ? max(limit, greatest.moment(at: now)) : limit
        at = now
        day = max(limit / Self.millisecondsOfDay, (last?.day ?? -1) + 1, ownDay + 1)
        self.node = node
        isDone = false
        since = last.map { $0.isDone ? now : min($0.since, now) } ?? now
        finished = last?.done
    }

    /// Before which events are not taken any more.
    package var floor: PruneFloor { PruneFloor(limit: before, age: age) }

    /// The last one that has come to its end, this one or one before it; nil: none has.
    var done: Finished? { isDone ? Finished(limit: limit, at: at, day: day) : finished }

    /// The body of its row, as JSON. A newer node may add members: they are passed over.
    private struct Body: Codable {
        var before: Int64
        var age: Int64?
        var limit: Int64?
        var at: Int64
        var day: Int64
        var node: String
        var done: Bool
        var since: Int64?
        var finished: Finished?
    }

    /// Nil where it is no body of a prune.
    init?(_ text: String) {
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(text.utf8)) else {
            return nil
        }
        (before, at, day, node, isDone) = (body.before, body.at, body.day, body.node, body.done)
        age = body.age
        limit = body.limit ?? body.before
        since = body.since ?? body.at
        finished = body.finished
        // Whoever may write the table may write anything.
        let moments = 0...RowVersion.lastMoment
        let days = 0...RowVersion.lastDay
        guard [before, limit, at, since].allSatisfy(moments.contains), days.contains(day)
        else { return nil }
        if let age, !(-RowVersion.lastMoment...RowVersion.lastMoment ~= age) { return nil }
        guard let finished else { return }
        guard moments.contains(finished.limit), moments.contains(finished.at),
            days.contains(finished.day)
        else { return nil }
    }

    /// As the engine has it.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = try? encoder.encode(
            Body(
                before: before, age: age, limit: limit, at: at, day: day, node: node, done: isDone,
                since: since, finished: finished))
        return body.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
