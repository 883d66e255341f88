/// A row of the engine's table `batch`: an accepted batch with its events, whole. Texts are UTF-8, times
/// milliseconds since 1970; what was not given is empty.
package struct BatchRow: ~Copyable {
    /// The table.
    package static let table = "batch"
    /// The columns, in the order in which `append` writes them.
    package static let columns =
        [
            "app", "device", "batch_id", "version", "node", "unit", "received_at", "clock_shift",
            "profile", "key", "sequence", "dropped_events", "body_bytes", "accepted", "rejected",
            "shared",
        ] + RowResource.columns + ["first_time", "last_time"] + EventColumns.columns
        + ["rejection.code", "rejection.events", "done.content", "done.time"]

    /// The app's name.
    package var app: [UInt8] = []
    package var device = DeviceKey(high: 0, low: 0)
    package var batchID: [UInt8] = []
    /// `RowVersion.ofBatch`.
    package var version: UInt64 = 0
    /// The node's name.
    package var node: [UInt8] = []
    /// The number of the unit with which it was handed over.
    package var unit: UInt64 = 0
    package var receivedAt: Int64 = 0
    package var clockShift: Int64 = 0
    /// How it was sealed, in a word.
    package var profile: [UInt8] = []
    /// The ingest key's name.
    package var key: [UInt8] = []
    /// −1 where none was given.
    package var sequence: Int64 = -1
    package var droppedEvents: Int64 = 0
    /// The body as sent.
    package var bodyBytes: Int64 = 0
    package var accepted: UInt32 = 0
    package var rejected: UInt32 = 0
    /// Its device's id is one that many devices share.
    package var isShared = false
    package var resource = RowResource([:])
    /// Of the earliest event that it ever had; 0 without one.
    package var firstTime: Int64 = 0
    /// Of the last event that it has; 0 without one.
    package var lastTime: Int64 = 0
    package var events = EventColumns()
    /// Rejected events by code.
    package var rejections: [Rejection] = []
    /// First completions of which the events were pruned.
    package var completions: [Completion] = []

    /// Events that were rejected for one reason.
    package struct Rejection: Sendable, Equatable {
        package var code: [UInt8]
        package var events: UInt32

        /// Both as given.
        package init(code: [UInt8], events: UInt32) { (self.code, self.events) = (code, events) }
    }

    /// A device's first completion of a content.
    package struct Completion: Sendable, Equatable {
        package var content: [UInt8]
        package var time: Int64

        /// Both as given.
        package init(content: [UInt8], time: Int64) { (self.content, self.time) = (content, time) }
    }

    /// An empty one.
    package init() {}

    /// Bytes that the row takes, at most. Cheap: it may be asked after each event.
    package var byteCount: Int {
        var bytes = events.byteCount + resource.all.count + Self.fixedBytes
        bytes += app.count + batchID.count + node.count + profile.count + key.count
        for rejection in rejections { bytes += rejection.code.count + 4 + Self.longestLength }
        for completion in completions { bytes += completion.content.count + 8 + Self.longestLength }
        return bytes
    }

    /// Numbers, the device, and lengths of texts and arrays.
    private static let fixedBytes = 16 + 9 * 8 + 2 * 4 + 1 + 9 * longestLength
    private static let longestLength = 9

    /// Appends the row in `RowBinary`.
    package func append(to rows: inout RowBinary.Writer) {
        rows.string(app)
        device.append(to: &rows)
        rows.string(batchID)
        rows.uint64(version)
        rows.string(node)
        rows.uint64(unit)
        rows.int64(receivedAt)
        rows.int64(clockShift)
        rows.string(profile)
        rows.string(key)
        rows.int64(sequence)
        rows.int64(droppedEvents)
        rows.int64(bodyBytes)
        rows.uint32(accepted)
        rows.uint32(rejected)
        rows.uint8(isShared ? 1 : 0)
        rows.raw(resource.all)
        rows.int64(firstTime)
        rows.int64(lastTime)
        events.append(to: &rows)
        rows.array(rejections) { $0.string($1.code) }
        rows.array(rejections) { $0.uint32($1.events) }
        rows.array(completions) { $0.string($1.content) }
        rows.array(completions) { $0.int64($1.time) }
    }
}
