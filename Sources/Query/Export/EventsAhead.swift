import Columns
import Database
import Dispatch
import Events
import Storage
import Synchronization

/// The events that an export has not passed on yet. Between pages it holds no statement, no transaction
/// and nothing that batches sent: only where it is, how far it looks at once, and within a crowded window which rows come
/// next.
struct EventsAhead: Sendable {
    private let app: Int64
    private let filter: ResourceFilter
    /// Row of the one device whose events are exported; nil: all devices.
    private let device: Int64?
    /// The hash of that device.
    private let hash: DeviceHash?
    /// The stretches of time still to read; the first begins where reading resumes.
    private var stretches: ArraySlice<Range<Int64>>
    /// Bytes of lines a millisecond, as it was found last; 0: none, or nothing was read.
    private var density = 0.0
    /// How many milliseconds are read at once at most: eight times as many as the last time.
    private var reach: Int64 = 3_600_000
    /// The last event passed on of the millisecond at which reading resumes; nil: none of it was.
    private var position: ExportPosition?
    /// Where reading resumes, if too many batches may have events there.
    private var crowd: CrowdedWindow?

    private static let maxReach: Int64 = 1 << 40
    /// Windows of fewer bytes are not worth a thread.
    private static let bytesOfWindow = 128 << 10

    /// The events after a cursor's position. Throws what the database throws.
    init(_ cursor: EventCursor, _ reading: Reading) throws(StorageError) {
        app = cursor.app.id
        filter = cursor.filter
        hash = cursor.device
        position = cursor.position
        stretches = (cursor.stretches ?? [])[...]
        if let hash {
            // A device that is gone has no events.
            let row = try DeviceRow.find(hash, of: cursor.app, reading)
            device = row?.id
            // A device has few events: one search finds all, unless there are too many.
            reach = Self.maxReach
            if let row, cursor.stretches == nil {
                stretches = try Self.span(of: row.id, reading).map { [$0] } ?? []
            }
            if row == nil { stretches = [] }
        } else {
            device = nil
        }
        if let position { skip(to: position.time) }
    }

    /// The time from the first to the last event of a device.
    private static func span(
        of device: Int64, _ reading: Reading
    ) throws(StorageError) -> Range<Int64>? {
        let span = try reading.prepare(
            """
            SELECT min(b.first_time), max(b.last_time) FROM device_batch AS k CROSS JOIN batch AS b
            WHERE k.device = ?1 AND b.id = k.batch
            """)
        try span.bind(1, device)
        guard try span.step(), let first = span.optionalInt(0), let last = span.optionalInt(1)
        else { return nil }
        return first..<last + 1
    }

    /// Whether no event is left.
    var isDone: Bool { stretches.isEmpty }

    /// Passes the next events to `render`, window by window, until their lines take half of `limit` or
    /// none is left; of each window on the thread that has read it. Throws what the database throws,
    /// and if the report has to end.
    /// - Parameter limit: bytes of lines
    /// - Returns: what was made of the windows, in order; and the position of the last event, nil
    ///   without events
    mutating func take<Text: Sendable>(
        _ limit: Int, _ reading: Reading, _ render: @escaping @Sendable (ExportedEvents) -> Text
    ) throws(StorageError) -> (texts: [Text], last: ExportPosition?) {
        var texts: [Text] = []
        var last: ExportPosition?
        var bytes = 0
        while bytes <= limit / 2, let stretch = stretches.first {
            try reading.check()
            if crowd != nil {
                let window = try readCrowd(limit: max(1, limit - bytes), reading, render)
                if let text = window.text { texts.append(text) }
                last = window.last ?? last
                bytes += window.bytes
                continue
            }
            let windows = windows(of: stretch, bytes: limit - bytes, reading.threads)
            let read = try self.read(
                windows, limit: max(1, (limit - bytes) / windows.count), reading, render)
            var (found, reached) = (0, stretch.lowerBound)
            for window in read {
                if window.isCrowded {
                    try beginCrowd(in: reached..<window.end, reading)
                    break
                }
                if let text = window.text { texts.append(text) }
                last = window.last ?? last
                found += window.bytes
                position = window.isCut ? window.last : nil
                reached = position?.time ?? window.end
                // What lies after it comes with the next ones.
                if window.isCut || window.isShort { break }
            }
            skip(to: reached)
            bytes += found
            let span = max(1, reached - stretch.lowerBound)
            density = Double(found) / Double(span)
            reach = min(span * 8, Self.maxReach)
        }
        try reading.check()
        return (texts, last)
    }

    /// The next windows, one for each thread: as many milliseconds together as have about so many bytes
    /// of lines, rather fewer than more.
    private func windows(
        of stretch: Range<Int64>, bytes: Int, _ threads: Int
    ) -> [Range<Int64>] {
        let fitting = 0.8 * Double(bytes) / density
        let length = min(
            fitting < Double(reach) ? max(1, Int64(fitting)) : reach,
            stretch.upperBound - stretch.lowerBound)
        let end = stretch.lowerBound + length
        // A device's few events are not worth more than one.
        let count = device == nil ? max(1, min(threads, bytes / Self.bytesOfWindow)) : 1
        let part = max(1, length / Int64(count))
        var windows: [Range<Int64>] = []
        var start = stretch.lowerBound
        while windows.count < count - 1, end - start > part {
            windows.append(start..<start + part)
            start += part
        }
        windows.append(start..<end)
        return windows
    }

    /// Skips what lies before an instant.
    private mutating func skip(to time: Int64) {
        while let first = stretches.first, first.upperBound <= time { stretches.removeFirst() }
        if let first = stretches.first, first.lowerBound < time {
            stretches[stretches.startIndex] = time..<first.upperBound
        }
    }
}

extension EventsAhead {
    /// What was made of a window.
    private struct Window<Text: Sendable>: Sendable {
        let index: Int
        /// Nil without events.
        let text: Text?
        let bytes: Int
        let last: ExportPosition?
        /// Where the window ends.
        let end: Int64
        /// It has more events than these.
        let isCut: Bool
        /// It ends before the one that was asked for, which had too many batches.
        let isShort: Bool
        /// It has too many batches, also if it were shorter, and was not read.
        var isCrowded = false
    }

    /// Finds the next events of a crowded window. Throws what the database throws, and if the report has to end.
    private mutating func beginCrowd(
        in window: Range<Int64>, _ reading: Reading
    ) throws(StorageError) {
        var resources = try ResourceSet(filter, reading)
        var held = HeldBytes(reading.account)
        defer { withExtendedLifetime(held) {} }
        let batches =
            try reading.batches(
                of: app, device: device, &resources, window, limit: .max, &held) ?? []
        crowd = try CrowdedWindow(
            batches, of: app, in: window, after: crowd?.last ?? position, reading)
    }

    /// Reads the next events of the crowded window, and ends it with its last ones.
    private mutating func readCrowd<Text: Sendable>(
        limit: Int, _ reading: Reading, _ render: @Sendable (ExportedEvents) -> Text
    ) throws(StorageError) -> (text: Text?, bytes: Int, last: ExportPosition?) {
        guard var crowd else { return (nil, 0, nil) }
        if crowd.events.isEmpty {
            if crowd.last != nil {
                try beginCrowd(in: crowd.window, reading)
            } else {
                let window = crowd.window
                (self.crowd, position) = (nil, nil)
                skip(to: window.upperBound)
                // Perhaps there is nothing in the next ones either.
                reach = min((window.upperBound - window.lowerBound) * 8, Self.maxReach)
            }
            return (nil, 0, nil)
        }
        var resources = try ResourceSet(filter, reading)
        var reader = try WindowReader(of: app, device: hash, after: nil, limit: limit, reading)
        let page = try reader.read(crowd.events, crowd.window, &resources, reading)
        crowd.drop(page.count)
        self.crowd = crowd
        guard !page.events.isEmpty else { return (nil, 0, nil) }
        let last = page.events.position(page.events.events.count - 1)
        position = last
        return (render(page.events), page.events.lineBytes, last)
    }

    /// Reads windows that follow each other, on as many threads as are free, each window on a state of
    /// the database of its own, none older than the report's.
    /// - Returns: in order
    private func read<Text: Sendable>(
        _ windows: [Range<Int64>], limit: Int, _ reading: Reading,
        _ render: @escaping @Sendable (ExportedEvents) -> Text
    ) throws(StorageError) -> [Window<Text>] {
        if windows.count == 1 { return [try read(0, windows[0], limit: limit, reading, render)] }
        let taken = Atomic(0)
        let read = try reading.inParallel { () throws(StorageError) in
            var share = Concatenated<Window<Text>>(reading.account)
            while true {
                let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < windows.count else { return share }
                try reading.check()
                share.append(
                    try reading.lending { (reading) throws(StorageError) in
                        try self.read(index, windows[index], limit: limit, reading, render)
                    })
            }
        }
        return read.all.sorted { $0.index < $1.index }
    }

    /// Reads a window, cut until it has no more batches than one may have.
    private func read<Text: Sendable>(
        _ index: Int, _ asked: Range<Int64>, limit: Int, _ reading: Reading,
        _ render: @Sendable (ExportedEvents) -> Text
    ) throws(StorageError) -> Window<Text> {
        var resources = try ResourceSet(filter, reading)
        var held = HeldBytes(reading.account)
        defer { withExtendedLifetime(held) {} }
        let (window, found) = try candidates(asked, &resources, limit, reading, &held)
        guard let batches = found else {
            return Window(
                index: index, text: nil, bytes: 0, last: nil, end: window.upperBound, isCut: false,
                isShort: true, isCrowded: true)
        }
        let after = index == 0 ? position : nil
        var reader = try WindowReader(
            of: app, device: hash, after: after, limit: limit, reading)
        let (events, isWhole) = try reader.read(batches, window, &resources, reading)
        let begun = DispatchTime.now().uptimeNanoseconds
        defer { reading.pause(after: DispatchTime.now().uptimeNanoseconds &- begun) }
        return Window(
            index: index, text: events.isEmpty ? nil : render(events), bytes: events.lineBytes,
            last: events.isEmpty ? nil : events.position(events.events.count - 1),
            end: window.upperBound, isCut: !isWhole, isShort: window != asked)
    }

    /// The window's batches. The window is cut until it has no more of them than fill it; nil where cutting does not help.
    private func candidates(
        _ asked: Range<Int64>, _ resources: inout ResourceSet, _ limit: Int, _ reading: Reading,
        _ held: inout HeldBytes
    ) throws(StorageError) -> (window: Range<Int64>, batches: [BatchWindow.Candidate]?) {
        let most = min(max(limit / 128, 64), Self.maxBatches)
        var window = asked
        while true {
            let batches = try reading.batches(
                of: app, device: device, &resources, window, limit: most, &held)
            if let batches {
                guard batches.count > Self.batchesOfCrowd * most else { return (window, batches) }
                // All of them are read however short it is.
                let length = (window.upperBound - window.lowerBound) * Self.lengthsOfCrowd
                let end = min(window.lowerBound + length, asked.upperBound)
                return (window.lowerBound..<end, nil)
            }
            if window.upperBound - window.lowerBound == 1 { return (window, nil) }
            let length = (window.upperBound - window.lowerBound) / 2
            window = window.lowerBound..<window.lowerBound + length
        }
    }

    /// The most batches of a window.
    private static let maxBatches = 32_768
    /// From so many times as many on as would fill a window, each page reading all of them costs more than their events
    /// one by one.
    private static let batchesOfCrowd = 4
    /// How many times as long as a window that fills a page is one that most batches only span.
    private static let lengthsOfCrowd: Int64 = 16
}

extension Reading {
    /// The batches of an app, or of a device, with events in a stretch of time
    /// (`BatchWindow.rows`). Throws what the database throws, and if the report has to end.
    /// - Parameter held: charged for the list while it grows, and for what is returned
    func batches(
        of app: Int64, device: Int64?, _ resources: inout ResourceSet, _ window: Range<Int64>,
        limit: Int, _ held: inout HeldBytes
    ) throws(StorageError) -> [BatchWindow.Candidate]? {
        try check()
        func charge(_ bytes: Int) throws(StorageError) {
            held.set(bytes)
            try check()
        }
        let batches: [BatchWindow.Candidate]?
        if let device {
            batches = try BatchWindow.rows(
                ofDevice: device, app, window, limit: limit, connection, charge: charge
            ) { (resource) throws(StorageError) in try resources.contains(resource) }
        } else {
            batches = try BatchWindow.rows(
                of: app, window, limit: limit, connection, environment.tails, charge: charge
            ) { (resource) throws(StorageError) in try resources.contains(resource) }
        }
        held.set(batches?.allocatedBytes ?? 0)
        return batches
    }
}
