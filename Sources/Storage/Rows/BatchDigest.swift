import Database
import Events

/// What `batch.checksum` hashes: all that a batch has, with codes replaced by the texts they
/// stand for, so that a changed name, app, device, key or resource shows too (docs/design.md, Checksums).
/// The writer makes it of an accepted batch, `verify` of its rows.
package struct BatchDigest {
    /// A number for this form of the content: another form needs another.
    private static let form: UInt64 = 1

    /// The columns of a batch, texts as hashes where they stand in other tables.
    package struct Columns {
        var number: Int64
        var app: UInt64
        var device: DeviceHash
        var resource: UInt64
        package var receivedAt: Int64
        var clockShift: Int64
        package var profile: Int64
        /// Nil where the batch has no key.
        var key: UInt64?
        var sequence: Int64?
        var droppedEvents: Int64
        var bodyBytes: Int64
        package var accepted: Int64
        package var rejected: Int64
        package var pruned: Int64
        package var firstTime: Int64?
        package var lastTime: Int64?

        /// Of a batch's row.
        package init(
            number: Int64, app: UInt64, device: DeviceHash, resource: UInt64, receivedAt: Int64,
            clockShift: Int64, profile: Int64, key: UInt64?, sequence: Int64?, droppedEvents: Int64,
            bodyBytes: Int64, accepted: Int64, rejected: Int64, pruned: Int64, firstTime: Int64?,
            lastTime: Int64?
        ) {
            self.number = number
            self.app = app
            self.device = device
            self.resource = resource
            self.receivedAt = receivedAt
            self.clockShift = clockShift
            self.profile = profile
            self.key = key
            self.sequence = sequence
            self.droppedEvents = droppedEvents
            self.bodyBytes = bodyBytes
            self.accepted = accepted
            self.rejected = rejected
            self.pruned = pruned
            self.firstTime = firstTime
            self.lastTime = lastTime
        }
    }

    private var stream = ChecksumStream()
    private var events: UInt64 = 0
    /// Sums of hashes: in whatever order they come.
    private var rejections: UInt64 = 0

    package init(_ columns: Columns) {
        stream.add(Self.form, Self.word(columns.number), columns.app, columns.resource)
        stream.add(
            columns.device.high, columns.device.low, Self.word(columns.receivedAt),
            Self.word(columns.clockShift))
        let given =
            (columns.key == nil ? 0 : 1) | (columns.sequence == nil ? 0 : 2)
            | (columns.firstTime == nil ? 0 : 4) | (columns.lastTime == nil ? 0 : 8) as UInt64
        stream.add(
            given, Self.word(columns.profile), columns.key ?? 0, Self.word(columns.sequence ?? 0))
        stream.add(
            Self.word(columns.droppedEvents), Self.word(columns.bodyBytes),
            Self.word(columns.accepted), Self.word(columns.rejected))
        stream.add(
            Self.word(columns.pruned), Self.word(columns.firstTime ?? 0),
            Self.word(columns.lastTime ?? 0), 0)
    }

    /// The batch's own texts. The lists are nil where they are null.
    /// - Parameter attributeKeys: hashes of the keys' texts.
    package mutating func add(
        batchID: Span<UInt8>, sessions: Span<UInt8>?, attributeKeys: [UInt64]?
    ) {
        stream.add(
            UInt64(batchID.count), Self.length(sessions?.count), Self.length(attributeKeys?.count),
            0)
        batchID.withUnsafeBytes { stream.add($0) }
        if let sessions { sessions.withUnsafeBytes { stream.add($0) } }
        for key in attributeKeys ?? [] { stream.add(key, 0, 0, 0) }
    }

    /// - Parameter name: the hash of its name's text.
    @inline(__always)
    package mutating func add(
        index: Int64, name: UInt64, time: Int64, session: Int64?,
        attributes: UnsafeRawBufferPointer?
    ) {
        // An index has 13 bits, so the length does not overlap it.
        stream.add(
            UInt64(bitPattern: index) | Self.length(attributes?.count) &<< 16, name,
            Self.word(time), Self.word(session ?? .min))
        if let attributes { stream.add(attributes) }
        events &+= 1
    }

    package mutating func add(rejection code: Span<UInt8>, events: Int64, firstIndex: Int64) {
        var one = ChecksumStream()
        one.add(ChecksumStream.hash(code), Self.word(events), Self.word(firstIndex), 0)
        rejections &+= one.value
    }

    /// As the column has it.
    package var value: Int64 {
        var whole = stream
        whole.add(events, rejections, 0, 0)
        return Int64(bitPattern: whole.value)
    }

    @inline(__always)
    private static func word(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) }

    /// Null and empty are not the same.
    @inline(__always)
    private static func length(_ count: Int?) -> UInt64 { count.map { UInt64($0) &+ 1 } ?? 0 }
}

extension BatchDigest {
    /// Of a resource: its eight texts, each by its hash.
    static func hash(_ resource: Resource) -> UInt64 {
        hash(resource.texts.map { text in ChecksumStream.hash(text.utf8.span) })
    }

    /// Of hashes, in order.
    static func hash(_ hashes: [UInt64]) -> UInt64 {
        var stream = ChecksumStream()
        for hash in hashes { stream.add(hash, 0, 0, 0) }
        return stream.value
    }
}

extension BatchDigest.Columns {
    /// Of a batch that is about to be stored: nothing of it is pruned.
    init(
        _ batch: borrowing AcceptedBatch, number: Int64, app: UInt64, resource: UInt64,
        key: UInt64?
    ) {
        let span = batch.timeSpan
        self.init(
            number: number, app: app, device: batch.device, resource: resource,
            receivedAt: batch.receivedAt, clockShift: batch.clockShift,
            profile: Int64(batch.profile.rawValue), key: key, sequence: batch.sequence,
            droppedEvents: batch.droppedEvents, bodyBytes: Int64(batch.bodyBytes),
            accepted: Int64(batch.events.count), rejected: Int64(batch.rejected), pruned: 0,
            firstTime: span?.lowerBound, lastTime: span?.upperBound)
    }
}

extension BatchDigest {
    /// All that is not in the columns.
    /// - Parameters:
    ///   - names: hashes of the batch's names, by index
    ///   - attributeKeys: hashes of its attributes' keys, by index
    mutating func add(
        _ batch: borrowing AcceptedBatch, names: [UInt64], attributeKeys: [UInt64]
    ) {
        add(
            batchID: batch.batchID.utf8.span, sessions: batch.sessionsJSON?.span,
            attributeKeys: attributeKeys.isEmpty ? nil : attributeKeys)
        batch.text.span.withUnsafeBytes { text in
            for event in batch.events {
                let range = Int(event.attributes.lowerBound)..<Int(event.attributes.upperBound)
                add(
                    index: Int64(event.index), name: names[Int(event.name)], time: event.time,
                    session: event.session < 0 ? nil : Int64(event.session),
                    attributes: range.isEmpty
                        ? nil : UnsafeRawBufferPointer(rebasing: text[range]))
            }
        }
        for rejection in batch.rejectionCounts {
            add(
                rejection: rejection.code.utf8.span, events: Int64(rejection.count),
                firstIndex: Int64(rejection.firstIndex))
        }
    }
}
