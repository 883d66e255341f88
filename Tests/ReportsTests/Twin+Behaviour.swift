import Query
import Reports
import StoreTestSupport

/// The reports about what devices do, by brute force. Attributes are texts without escapes here.
extension Twin {
    private struct Mark {
        let event: Event
        let name: [UInt8]
    }

    /// What a value is as text.
    private func text(_ event: Event, _ key: String) -> [UInt8]? {
        guard let json = event.event.attributes.first(where: { $0.key == key })?.json else {
            return nil
        }
        let octets = Array(json.utf8)
        return octets.first == UInt8(ascii: "\"") ? Array(octets.dropFirst().dropLast()) : octets
    }

    private func isKept(_ event: Event) -> Bool {
        (from...to).contains(day(event.event.time)) && matches(event.batch)
    }

    private func devices(_ marks: [Mark]) -> Int {
        Set(marks.map(\.event.batch.device)).subtracting(shared).count
    }

    private func marks(_ name: String, _ key: String) -> [Mark] {
        marks(events.filter { $0.event.name == name }, key)
    }

    private func marks(_ events: [Event], _ key: String) -> [Mark] {
        events.compactMap { event in text(event, key).map { Mark(event: event, name: $0) } }
    }

    // MARK: - content

    func content() -> [[Cell]] {
        let views = marks("content.view", "content.id").filter { isKept($0.event) }
        let all = marks("content.complete", "content.id")
        let completions = all.filter { isKept($0.event) }
        let ever = all + marks(prunedCompletions, "content.id")
        var rows: [(name: [UInt8], viewers: Int, cells: [Cell])] = []
        for name in Set((views + ever).map(\.name)) {
            let seen = views.filter { $0.name == name }
            let done = completions.filter { $0.name == name }
            let owners = Dictionary(
                grouping: ever.filter { $0.name == name }.map(\.event), by: \.batch.device)
            let credited = owners.filter { device, own in
                let first = own.min { $0.precedes($1, byKind: false) }
                return !shared.contains(device) && first.map { isKept($0) } ?? false
            }.count
            if seen.isEmpty, done.isEmpty, credited == 0 { continue }
            let (viewers, completers) = (devices(seen), devices(done))
            rows.append(
                (
                    name, viewers,
                    [
                        .text(ByteText(bytes: name)), .int(Int64(seen.count)),
                        .int(Int64(viewers)), .int(Int64(done.count)), .int(Int64(completers)),
                        share(completers, viewers), .int(Int64(credited)),
                    ]
                ))
        }
        rows.sort {
            $0.viewers != $1.viewers
                ? $0.viewers > $1.viewers : $0.name.lexicographicallyPrecedes($1.name)
        }
        return rows.map(\.cells)
    }

    // MARK: - videos

    func videos() -> [[Cell]] {
        let enters = marks("video.enter_fullscreen", "video.id")
        let exits = marks("video.exit_fullscreen", "video.id")
        var rows: [(name: [UInt8], count: Int, cells: [Cell])] = []
        for name in Set(enters.map(\.name)) {
            let kept = enters.filter { $0.name == name && isKept($0.event) }
            if kept.isEmpty { continue }
            let times = kept.compactMap { enter -> Int64? in
                func isOwn(_ mark: Mark) -> Bool {
                    mark.name == name && mark.event.batch.device == enter.event.batch.device
                }
                let at = enter.event.event.time
                // The exit must come before any other enter that comes behind this one.
                guard
                    let exit = exits.filter(isOwn).map(\.event.event.time).filter({ $0 >= at })
                        .min()
                else { return nil }
                let isCut = enters.filter(isOwn).contains { other in
                    enter.event.precedes(other.event, byKind: false)
                        && other.event.event.time <= exit
                }
                return isCut ? nil : exit - at
            }.sorted()
            rows.append(
                (
                    name, kept.count,
                    [
                        .text(ByteText(bytes: name)), .int(Int64(kept.count)),
                        .int(Int64(devices(kept))),
                        .decimal(units: times.reduce(0, +), places: 3),
                        times.isEmpty
                            ? .null : .decimal(units: times[(times.count + 1) / 2 - 1], places: 3),
                    ]
                ))
        }
        rows.sort {
            $0.count != $1.count
                ? $0.count > $1.count : $0.name.lexicographicallyPrecedes($1.name)
        }
        return rows.map(\.cells)
    }

    // MARK: - funnel

    /// Steps are a name and perhaps a key and a value.
    func funnel(
        _ steps: [(name: String, key: String?, value: String)], within: Int64
    ) -> [Int] {
        var reached = [Int](repeating: 0, count: steps.count)
        let own = Dictionary(
            grouping: events.filter { isKept($0) && !shared.contains($0.batch.device) },
            by: \.batch.device)
        for events in own.values {
            var used = [Bool](repeating: false, count: events.count)
            func furthest(_ done: Int, _ first: Int64, _ last: Int64) -> Int {
                guard done < steps.count else { return done }
                var best = done
                for (place, event) in events.enumerated() where !used[place] {
                    let step = steps[done]
                    guard event.event.name == step.name else { continue }
                    if let key = step.key, text(event, key) != Array(step.value.utf8) { continue }
                    let time = event.event.time
                    let start = done == 0 ? time : first
                    guard done == 0 || time >= last, time - start <= within else { continue }
                    used[place] = true
                    best = max(best, furthest(done + 1, start, time))
                    used[place] = false
                }
                return best
            }
            for step in 0..<furthest(0, 0, 0) { reached[step] += 1 }
        }
        return reached
    }

    private func share(_ a: Int, _ b: Int) -> Cell {
        b == 0 ? .null : .decimal(units: Int64((2_000_000 * a + b) / (2 * b)), places: 6)
    }
}
