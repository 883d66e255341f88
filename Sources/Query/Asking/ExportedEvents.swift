import Events

/// Events of an export in the order of its lines, and what their lines are made of. Texts are ready
/// JSON, which lines only copy.
package struct ExportedEvents: Sendable {
    /// What the events of a batch have in common.
    package struct Batch: Sendable {
        /// The device that sent it.
        package let device: DeviceHash
        /// The bytes of its id.
        package let id: ByteText
        /// When it arrived, milliseconds since 1970-01-01T00:00:00Z.
        package let receivedAt: Int64
        /// The index in `resources` of its resource.
        package let resource: Int

        /// A batch.
        package init(device: DeviceHash, id: ByteText, receivedAt: Int64, resource: Int) {
            self.device = device
            self.id = id
            self.receivedAt = receivedAt
            self.resource = resource
        }
    }

    /// An event. Its texts are in `text`.
    package struct Event: Sendable {
        /// Milliseconds since 1970-01-01T00:00:00Z.
        package let time: Int64
        /// Where its name begins.
        private let start: Int
        private let nameLength: Int32
        private let attributesLength: Int32
        /// The index in `batches` of its batch.
        package let batch: Int32
        /// Its index in the batch as sent.
        package let index: Int32

        fileprivate init(
            time: Int64, name: Range<Int>, attributesEnd: Int, batch: Int, index: Int64
        ) {
            self.time = time
            start = name.lowerBound
            nameLength = Int32(clamping: name.count)
            attributesLength = Int32(clamping: attributesEnd - name.upperBound)
            self.batch = Int32(clamping: batch)
            self.index = Int32(clamping: index)
        }

        /// The range of its name, a JSON string.
        package var name: Range<Int> { start..<start + Int(nameLength) }

        /// The range of its attributes: the members of a JSON object, without braces, `session.id`
        /// first.
        package var attributes: Range<Int> {
            let start = start + Int(nameLength)
            return start..<start + Int(attributesLength)
        }
    }

    /// JSON objects.
    package private(set) var resources: [[UInt8]] = []
    package private(set) var batches: [Batch] = []
    package internal(set) var events: [Event] = []
    /// Names and attributes of the events.
    package internal(set) var text: [UInt8] = []
    /// Bytes of the events' lines, about.
    package internal(set) var lineBytes = 0
    /// Bytes that `resources` and `batches` take.
    private var batchBytes = 0
    /// The name of the event that has begun.
    var name = 0..<0

    /// Bytes of a line without its name, its resource, its attributes, and its batch's id, which it
    /// has twice.
    private static let bareLine = 218
    private static let session = Array("\"session.id\":".utf8)

    /// No events.
    package init() {}

    package var isEmpty: Bool { events.isEmpty }

    /// Bytes that all this takes.
    var bytes: Int { text.allocatedBytes + events.allocatedBytes + batchBytes }

    /// - Parameter json: the resource as a JSON object
    /// - Returns: its index
    package mutating func add(resource json: [UInt8]) -> Int {
        resources.append(json)
        batchBytes += json.allocatedBytes + MemoryLayout<[UInt8]>.stride
        return resources.count - 1
    }

    /// - Returns: its index
    package mutating func add(_ batch: Batch) -> Int {
        batches.append(batch)
        batchBytes += batch.id.bytes.allocatedBytes + MemoryLayout<Batch>.stride
        return batches.count - 1
    }

    /// Begins an event: its attributes come next, `session.id` first.
    /// - Parameter name: a JSON string
    @inline(__always)
    package mutating func begin(name: Span<UInt8>) {
        let start = text.count
        append(name)
        self.name = start..<text.count
    }

    /// Adds the session to the event that has begun.
    /// - Parameter id: a JSON string
    @inline(__always)
    package mutating func add(session id: Span<UInt8>) { add(Self.session.span, id) }

    /// Adds an attribute to the event that has begun.
    /// - Parameters:
    ///   - key: a JSON string and a colon
    ///   - value: a JSON scalar
    @inline(__always)
    package mutating func add(_ key: Span<UInt8>, _ value: Span<UInt8>) {
        if text.count > name.upperBound { text.append(UInt8(ascii: ",")) }
        append(key)
        append(value)
    }

    /// Ends the event that has begun.
    /// - Parameters:
    ///   - batch: the index of its batch
    ///   - index: its index in the batch as sent
    @inline(__always)
    package mutating func end(time: Int64, index: Int64, ofBatch batch: Int) {
        let event = Event(
            time: time, name: name, attributesEnd: text.count, batch: batch, index: index)
        events.append(event)
        lineBytes += bytes(ofLine: event)
    }

    @inline(__always)
    private mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { text.append(contentsOf: $0) }
    }

    /// Bytes of an event's line, about.
    @inline(__always)
    func bytes(ofLine event: Event) -> Int {
        let batch = batches[Int(event.batch)]
        return Self.bareLine + event.name.count + event.attributes.count
            + 2 * batch.id.bytes.count + resources[batch.resource].count
    }

    /// The position of an event.
    /// - Parameter index: in `events`
    package func position(_ index: Int) -> ExportPosition {
        let event = events[index]
        let batch = batches[Int(event.batch)]
        return ExportPosition(
            time: event.time, index: Int64(event.index), device: batch.device, batchID: batch.id)
    }
}
