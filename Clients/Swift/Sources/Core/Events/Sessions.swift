/// Which session is open (client.md §2). Times are milliseconds of the monotonic clock that runs on during
/// sleep, so that a clock set by hand makes no session.
package struct Sessions: Sendable {
    /// What a change of the life cycle records.
    package struct Change: Sendable, Equatable {
        package let name: String
        package let id: String
    }

    private enum Phase: Sendable {
        /// Not yet in the foreground.
        case launched
        case foreground(id: String)
        case background(id: String, since: Int64)
    }

    private var phase = Phase.launched
    private let timeout: Int64

    /// - Parameter timeout: Milliseconds in the background after which another session begins.
    package init(timeout: Int64) { self.timeout = timeout }

    /// The session of an event that happens now; nil in the background.
    package var current: String? {
        guard case .foreground(let id) = phase else { return nil }
        return id
    }

    /// The app comes to the foreground; nil where it was there.
    package mutating func foreground(at now: Int64, newID: @autoclosure () -> String) -> Change? {
        switch phase {
        case .foreground: return nil
        case .background(let id, let since) where now - since < timeout:
            phase = .foreground(id: id)
            return Change(name: "session.resume", id: id)
        case .launched, .background:
            let id = newID()
            phase = .foreground(id: id)
            return Change(name: "session.start", id: id)
        }
    }

    /// This is another device: what it records must not lead to the old one by the id of a session. Nothing
    /// was opened, so that no event says so; the session begins with the first that carries its id.
    package mutating func forget(newID: @autoclosure () -> String) {
        switch phase {
        case .launched, .background: phase = .launched
        case .foreground: phase = .foreground(id: newID())
        }
    }

    /// The app goes to the background, or ends; nil where it was not in the foreground.
    package mutating func background(at now: Int64) -> Change? {
        guard case .foreground(let id) = phase else { return nil }
        phase = .background(id: id, since: now)
        return Change(name: "session.end", id: id)
    }
}
