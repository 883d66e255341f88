extension Machine {
    /// Records what was called, in its order. Nothing is taken before the journal is open.
    ///
    /// - Parameter dropped: Calls before these that found no room in memory.
    package func take(_ calls: [TimedCall], dropped: Int64 = 0) {
        guard let journal else { return }
        var lines = Lines()
        if dropped > 0, journal.ledger.isEnabled { lines.drop(dropped) }
        for entry in calls { take(entry, journal, &lines) }
        append(&lines, journal)
    }

    private func take(
        _ entry: TimedCall, _ journal: Journal<System.Folder>, _ lines: inout Lines
    ) {
        switch entry.call {
        case .event(let name, let attributes, let isOwn):
            guard journal.ledger.isEnabled else { return }
            let isRecorded = record(
                name, attributes, entry.moment, isOwn: isOwn, journal, &lines)
            // As a page has said.
            if isRecorded, name == "content.complete",
                case .string(let content)? = attributes["content.id"]
            {
                _ = journal.ledger.complete(content)
            }
        case .completed(let content, let then):
            guard journal.ledger.isEnabled else { return then(false) }
            then(complete(content, entry.moment, journal, &lines))
        case .foreground: enterForeground(entry.moment, journal, &lines)
        case .background(let then):
            endSession(entry.moment, journal, &lines)
            uploads.isForeground = false
            let deadline = entry.moment + limits.budget * Self.millisecond
            open(until: deadline) { _ in then() }
        case .terminate(let then):
            endSession(entry.moment, journal, &lines)
            then()
        case .enable(let isEnabled, let then):
            append(&lines, journal)
            enable(isEnabled)
            then()
        case .forget(let then):
            append(&lines, journal)
            abandonUploads()
            sessions.forget(newID: system.newID())
            enqueue(.forget)
            then()
        case .sync(let then):
            append(&lines, journal)
            then()
        }
    }

    private func enable(_ isEnabled: Bool) {
        if !isEnabled { abandonUploads() }
        enqueue(isEnabled ? .enable : .disable)
    }

    /// What a user asks for, and the disk has to note.
    enum Wish { case forget, enable, disable }

    /// Does what a user has asked for, after what was asked for before. Where the disk fails it is tried
    /// again, and nothing is posted until it is done.
    private func enqueue(_ wish: Wish) {
        wishes.append(wish)
        for _ in 1...3 where applyWishes() { return }
    }

    /// Does what a user has asked for and the disk has not taken yet; false where it does not now.
    func applyWishes() -> Bool {
        guard let journal else { return false }
        while let wish = wishes.first {
            do throws(DiskFailure) {
                try apply(wish, journal)
            } catch {
                log("a wish of the user cannot be noted: \(error.reason)")
                return false
            }
            wishes.removeFirst()
        }
        return true
    }

    private func apply(
        _ wish: Wish, _ journal: Journal<System.Folder>
    ) throws(DiskFailure) {
        switch wish {
        case .forget:
            try journal.wipe(forgets: true)
            system.share(journal.ledger.installation)
        case .enable:
            try journal.step { (ledger) throws(DiskFailure) in ledger.isEnabled = true }
        case .disable: try journal.wipe(forgets: false, isEnabled: false)
        }
    }

    private func enterForeground(
        _ moment: Int64, _ journal: Journal<System.Folder>, _ lines: inout Lines
    ) {
        let hadSomething = journal.hasSomething || !lines.isEmpty
        let change = sessions.foreground(at: moment / Self.millisecond, newID: system.newID())
        if let change, journal.ledger.isEnabled { record(change, moment, journal, &lines) }
        uploads.isForeground = true
        uploads.isWanted = uploads.isWanted || hadSomething
    }

    private func endSession(
        _ moment: Int64, _ journal: Journal<System.Folder>, _ lines: inout Lines
    ) {
        let change = sessions.background(at: moment / Self.millisecond)
        if let change, journal.ledger.isEnabled { record(change, moment, journal, &lines) }
        append(&lines, journal)
        do throws(DiskFailure) { try journal.sync() } catch { log(error.reason) }
    }

    private func record(
        _ change: Sessions.Change, _ moment: Int64, _ journal: Journal<System.Folder>,
        _ lines: inout Lines
    ) {
        add(change.name, [:], moment, session: change.id, journal, &lines)
    }

    /// - Returns: whether no rule is broken.
    private func record(
        _ name: String, _ attributes: [String: Value], _ moment: Int64, isOwn: Bool,
        _ journal: Journal<System.Folder>, _ lines: inout Lines
    ) -> Bool {
        if let rule = EventRule.broken(name: name, attributes: attributes, isOwn: isOwn) {
            log(rule.line(name: name, attributes: attributes))
            lines.drop(1)
            return false
        }
        add(name, attributes, moment, session: sessions.current, journal, &lines)
        return true
    }

    /// - Returns: whether it is the first time on this installation.
    private func complete(
        _ content: String, _ moment: Int64, _ journal: Journal<System.Folder>,
        _ lines: inout Lines
    ) -> Bool {
        let isRecorded = record(
            "content.complete", ["content.id": .string(content)], moment, isOwn: false, journal,
            &lines)
        let isFirst = isRecorded && journal.ledger.complete(content)
        append(&lines, journal)
        return isFirst
    }

    private func add(
        _ name: String, _ attributes: [String: Value], _ moment: Int64, session: String?,
        _ journal: Journal<System.Folder>, _ lines: inout Lines
    ) {
        var json: [UInt8] = []
        json.reserveCapacity(192)
        Event.append(
            name: name, time: clock.time(at: moment), attributes: attributes, session: session,
            to: &json)
        lines.add(event: json)
        if lines.bytes.count >= min(16_384, limits.journal / 8) { append(&lines, journal) }
    }

    private func append(_ lines: inout Lines, _ journal: Journal<System.Folder>) {
        guard !lines.isEmpty else { return }
        do throws(DiskFailure) {
            try journal.append(lines)
        } catch {
            log("\(lines.events + lines.drops) events could not be written: \(error.reason)")
        }
        lines = Lines()
        uploads.appended(at: system.monotonic)
    }
}
