/// `platforms`: the engagement paradox.
struct PlatformsTally: Tally {
    private var groups = Groups<Count>()

    private struct Count: Mergeable {
        var events = EventCount()
        var sessions = 0
        var unshared = 0
        var duration = BoundedTime(0)

        mutating func merge(_ other: Count) {
            events.merge(other.events)
            sessions += other.sessions
            unshared += other.unshared
            duration += other.duration
        }
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        for event in view.device.events where view.isKept(event) {
            groups[0, view.value(.osName, of: event)].events.insert(of: view.device)
        }
        for session in view.keptSessions {
            let key = GroupKey(name: view.value(.osName, of: session.first))
            groups[key].sessions += 1
            groups[key].duration += session.duration
            if !view.device.isShared { groups[key].unshared += 1 }
        }
    }

    mutating func merge(_ other: PlatformsTally, _ renaming: Renaming) {
        groups.merge(other.groups, renaming)
    }

    func answer(_ names: Names) -> Answer {
        var devices = 0
        var usage = BoundedTime(0)
        for count in groups.values.values {
            devices += count.events.devices
            usage += count.duration
        }
        let rows = groups.ranked(names, by: \.events.devices).map { row -> [Figure] in
            let count = row.value
            return [
                names.figure(row.name), .count(count.events.devices),
                .ratio(count.events.devices, devices), .count(count.sessions),
                .seconds(count.duration), Self.share(count.duration, of: usage),
                count.events.devices == 0
                    ? .missing
                    : Self.share(
                        count.duration, of: usage, times: devices, per: count.events.devices),
                .ratio(count.unshared, count.events.devices),
            ]
        }
        return Answer(
            columns: [
                "os.name", "devices", "device_share", "sessions", "duration", "usage_share",
                "engagement_index", "sessions_per_device",
            ], keyCount: 1, rows: rows)
    }

    /// part ÷ whole · factor ÷ divisor; where times are vague between what they allow at least and at most.
    private static func share(
        _ part: BoundedTime, of whole: BoundedTime, times factor: Int = 1, per divisor: Int = 1
    ) -> Figure {
        guard whole.high > 0 else { return .missing }
        guard whole.low > 0 else { return .unchecked }
        let (factor, divisor) = (Int128(factor), Int128(divisor))
        // The others take the most, or the least.
        let least = Int128(part.low) + Int128(whole.high - part.high)
        let most = Int128(part.high) + Int128(whole.low - part.low)
        func text(_ part: Int64, _ whole: Int128) -> String {
            whole == 0
                ? Decimals.ratio(0, 1) : Decimals.ratio(Int128(part) * factor, whole * divisor)
        }
        let (low, high) = (text(part.low, least), text(part.high, most))
        return low == high ? .number(low) : .between(low, high)
    }
}
