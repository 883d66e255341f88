import Database
import Events
import Storage
import TimeZones

/// What is read, and what is read to the end. The state has, for each content, two sums and two
/// sets of devices, and for each device and content the first completion ever; they merge by
/// addition, union and the earlier one.
enum ContentQuery {
    private static let key = ByteText(StandardAttribute.contentID.key)
    private static let view = ByteText(StandardEvent.contentView.name)
    private static let complete = ByteText(StandardEvent.contentComplete.name)

    /// Contents are numbered from 0. Group 2·n of the devices are the viewers of content n, group
    /// 2·n + 1 those who completed it.
    private struct Contents: ReportShare {
        var codes: TextCodes
        var devices: DevicesByGroup
        /// Events, by group.
        var events: [Int] = []
        var completions: Completions
        private var held: HeldBytes

        init(_ account: ReportAccount) {
            codes = TextCodes(account)
            devices = DevicesByGroup(account)
            completions = Completions(account)
            held = HeldBytes(account)
        }

        mutating func code(ofScalar json: Span<UInt8>) -> Int { known(codes.code(ofScalar: json)) }

        mutating func code(of text: Span<UInt8>) -> Int { known(codes.code(of: text)) }

        private mutating func known(_ code: Int) -> Int {
            grow()
            return code
        }

        private mutating func grow() {
            events.append(repeating: 0, 2 * codes.count - events.count, &held)
        }

        mutating func merge(_ other: Contents) throws(StorageError) {
            let numbers = try codes.merge(other.codes)
            grow()
            let groups = numbers.flatMap { [2 * $0, 2 * $0 + 1] }
            for (count, group) in zip(other.events, groups) { events[group] += count }
            try devices.merge(other.devices, groups: groups)
            completions.merge(other.completions, contents: numbers)
        }
    }

    static func run(
        _ scope: QueryScope, limit: Int, _ reading: Reading
    ) throws(StorageError) -> [ContentSums] {
        let shared = try SharedDevices(of: scope.app.id, reading)
        let window = scope.zone.window(from: scope.from, to: scope.to)
        let list = try EventList(
            scope, names: [view, complete], times: true, subjects: true, window: window,
            reading)
        var contents = try reading.inParallel { () throws(StorageError) in
            var contents = Contents(reading.account)
            var scan = EventScan(list)
            let complete = list.names[1]
            while try scan.next() {
                let isCompletion = scan.name == complete
                guard scan.counts || isCompletion,
                    let content = scan.subjectCode({ contents.code(ofScalar: $0) })
                else { continue }
                let isShared = shared.contains(scan.device)
                if scan.counts {
                    let group = 2 * content + (isCompletion ? 1 : 0)
                    contents.events[group] += 1
                    if !isShared { contents.devices.insert(scan.device, into: group) }
                }
                if isCompletion, !isShared {
                    let completion = Completion(
                        device: scan.device, content: content, time: scan.time,
                        batch: scan.batch, counts: scan.counts)
                    try contents.completions.add(completion, reading)
                }
            }
            return contents
        }
        try addPruned(to: &contents, scope, before: window.upperBound, shared, reading)
        try reading.check()
        let firsts = try FirstCompletions(contents.completions, reading)
        try reading.check()
        let earlier = try EarlierCompletions.find(
            complete, firsts, contents.codes, scope, before: window.lowerBound, reading)
        try reading.check()
        var credited = [Int](repeating: 0, count: contents.codes.count)
        // Ranking counts the devices of both groups besides.
        let room = HeldBytes(reading.account, credited.allocatedBytes * 3)
        defer { withExtendedLifetime(room) {} }
        for index in 0..<firsts.count where !earlier.contains(index) {
            credited[firsts.content(index)] += 1
        }
        return try ranked(&contents, credited, limit, reading)
    }

    /// Adds completions whose events a prune has deleted.
    private static func addPruned(
        to contents: inout Contents, _ scope: QueryScope, before end: Int64,
        _ shared: SharedDevices, _ reading: Reading
    ) throws(StorageError) {
        var resources = try ResourceSet(scope.filter, reading)
        var days = LocalDays(scope.zone, from: scope.from, to: scope.to)
        let range = scope.from.number...scope.to.number
        try PrunedCompletions.forEach(of: scope.app.id, before: end, reading) {
            (device, content, time, batch, resource) throws(StorageError) in
            if shared.contains(device) { return }
            let isInRange = days.day(at: time).map(range.contains) ?? false
            let isMatch = try resources.contains(resource)
            let completion = Completion(
                device: device, content: contents.code(of: content), time: time, batch: batch,
                counts: isInRange && isMatch)
            try contents.completions.add(completion, reading)
        }
    }

    private static func ranked(
        _ contents: inout Contents, _ credited: [Int], _ limit: Int, _ reading: Reading
    ) throws(StorageError) -> [ContentSums] {
        let count = contents.codes.count
        let devices = contents.devices.counts(of: 2 * count)
        let (events, codes) = (contents.events, contents.codes)
        var ranking = Ranking(limit)
        try ranking.add(
            0..<count,
            where: { events[2 * $0] > 0 || events[2 * $0 + 1] > 0 || credited[$0] > 0 }, reading
        ) { a, b in
            devices[2 * a] != devices[2 * b]
                ? devices[2 * a] > devices[2 * b] : codes.precedes(a, b)
        }
        return ranking.ranked.map { content in
            let (views, completions) = (2 * content, 2 * content + 1)
            return ContentSums(
                content: codes[content], views: events[views], viewers: devices[views],
                completions: events[completions], completers: devices[completions],
                credited: credited[content])
        }
    }
}

/// First completions whose events a prune has deleted. The prune keeps them, so that no device is
/// credited again.
enum PrunedCompletions {
    /// Calls `body` with the device's row, the content, the time, the batch's row and its
    /// resource's row of each completion before a time. Throws what the database and `body` throw.
    static func forEach(
        of app: Int64, before end: Int64, _ reading: Reading,
        _ body: (Int64, Span<UInt8>, Int64, Int64, Int64) throws(StorageError) -> Void
    ) throws(StorageError) {
        let statement = try reading.prepare(
            """
            SELECT c.device, c.content, c.time, b.id, b.resource
            FROM completion AS c JOIN batch AS b ON b.id = \(EventID.batchSQL("c.event"))
            WHERE b.app = ?1 AND c.time < ?2
            """)
        try statement.bind(1, app)
        try statement.bind(2, end)
        while try statement.step() {
            let (device, time) = (statement.int(0), statement.int(2))
            let (batch, resource) = (statement.int(3), statement.int(4))
            try statement.withText(1) { (content) throws(StorageError) in
                try body(device, content, time, batch, resource)
            }
        }
    }
}
