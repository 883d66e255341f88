import Events
import JSON
import Sealing

/// Judges the records of a request, whatever it is encoded in, by docs/opentelemetry.md, and makes batches of them:
/// one for each ResourceLogs that has records, or several where it has too many. From here on nothing but the
/// profile tells where an event came from.
struct LogJudge: ~Copyable {
    /// How much of a request is made into batches at once.
    enum Room {
        static let batches = 32
        /// Bytes of memory.
        static let bytes = 1 << 20
    }

    /// Whose requests these are.
    struct Sender {
        let app: AccessList.App
        let identity: DeviceIdentity
    }

    /// Where a ResourceLogs stands that has records, and a device.
    struct Piece: Sendable {
        let index: Int
        let range: Range<Int>
        let device: DeviceHash
    }

    /// Of the resource or the record that is being read.
    var attributes = ReadAttributes()
    var record = ReadRecord()

    var events: EventJudge
    var digests = RecordDigests()
    let resourceNames: Interner
    let unstored: Interner
    var context = JudgeContext(profile: .otlp, arrival: 0)
    var escaped: [UInt8] = []

    // Of the request:
    private(set) var batches: [LogBatch] = []
    private var bytes = 0
    private var sender: Sender?
    /// All that have records and a device, in order.
    private(set) var pieces: [Piece] = []
    /// There was no room for all.
    private(set) var isPart = false
    var rejections = LogRejections()
    /// ResourceLogs with records and without a device.
    private(set) var resourcesWithoutDevice = 0
    /// A resource without a device, or one of another device, has records too.
    private(set) var hasOtherDevices = false
    private var firstDevice: DeviceHash?
    private var recordCount = 0
    /// Resources and records so far.
    private var steps = 0
    private var mostSteps = Int.max
    private var mostDigits = Int.max

    // Of the resource at hand:
    private var resourceIndex = 0
    /// Batches are made of its records, and not only judged.
    private(set) var isCollecting = true
    var resource = Resource()
    var rawDeviceID: [UInt8] = []
    var device: DeviceHash?
    private var isShared = false
    private var recordsOfResource = 0
    // Of the batch at hand:
    var recordsOfBatch = 0
    var fingerprints: [Fingerprint] = []
    private var places = RecordPlaces(resource: 0)

    /// A request may have so many times `max-batch-events` records.
    static let batchesOfRequest = 10

    init(hash: TextHash) {
        events = EventJudge(hash: hash)
        for number in StandardAttribute.allCases.indices {
            events.keys[mark: number] = NameMark.valid
        }
        resourceNames = Interner(hash: hash, fixed: Resource.members + LogMapping.identities)
        unstored = Interner(hash: hash, fixed: LogMapping.unstored)
    }

    /// Another request begins, or what was left of one.
    /// - Parameters:
    ///   - mostSteps: so many resources and records are judged; of a request that has more it is only found out
    ///     whether it is one
    ///   - mostDigits: so many bytes may its integers have beyond what stands in it; as with `mostSteps`
    mutating func begin(
        _ context: JudgeContext, of sender: Sender, mostSteps: Int = .max, mostDigits: Int = .max
    ) {
        self.context = context
        self.mostSteps = mostSteps
        self.mostDigits = mostDigits
        steps = 0
        attributes.addedDigits = 0
        self.sender = sender
        batches = []
        bytes = 0
        pieces = []
        isPart = false
        rejections = LogRejections()
        resourcesWithoutDevice = 0
        hasOtherDevices = false
        firstDevice = nil
        recordCount = 0
    }

    /// It has more resources, records or digits than were to be judged.
    var isLaborious: Bool { steps > mostSteps || attributes.addedDigits > mostDigits }

    /// More records than a request may have.
    var hasTooMany: Bool { recordCount > LogJudge.batchesOfRequest * context.maxEvents }

    /// Another resource's records would be made into batches.
    var hasRoom: Bool { batches.count < Room.batches && bytes < Room.bytes }

    /// Forgets what must not stay in memory.
    mutating func end() {
        rawDeviceID.overwrite()
        rawDeviceID = []
        batches = []
        pieces = []
        sender = nil
        attributes.forget()
    }

    /// The resource's attributes have been read; its records come next.
    mutating func beginResource(_ index: Int, _ bytes: Span<UInt8>) {
        steps += 1
        resourceIndex = index
        isCollecting = hasRoom
        recordsOfResource = 0
        recordsOfBatch = 0
        readResource(bytes)
    }

    /// Its records have been read.
    /// - Parameter range: where it stands
    mutating func endResource(_ range: Range<Int>) {
        guard recordsOfResource > 0 else { return }
        guard let device else {
            resourcesWithoutDevice += 1
            hasOtherDevices = true
            return
        }
        if let firstDevice, firstDevice != device { hasOtherDevices = true }
        firstDevice = device
        endBatch()
        if !isCollecting { isPart = true }
        pieces.append(Piece(index: resourceIndex, range: range, device: device))
    }

    mutating func beginRecord() {
        attributes.reset()
        record = ReadRecord()
    }

    /// A record has been read.
    /// - Parameters:
    ///   - scope: which ScopeLogs it stands in
    ///   - index: which of its records it is
    mutating func endRecord(scope: Int, record index: Int, _ bytes: Span<UInt8>) {
        recordCount += 1
        recordsOfResource += 1
        steps += 1
        guard !hasTooMany, !isLaborious else { return }
        let place = RecordPlace(resource: resourceIndex, scope: scope, record: index)
        guard !rawDeviceID.isEmpty else { return rejections.addWithoutDevice(at: place) }
        if device == nil { findDevice() }
        if recordsOfBatch == context.maxEvents { endBatch() }
        if recordsOfBatch == 0 { beginBatch() }
        places.add(index: recordsOfBatch, scope: scope, record: index)
        judge(place, bytes)
        recordsOfBatch += 1
    }

    /// Once it is known that the resource has records: most that have none are many.
    private mutating func findDevice() {
        guard let sender else { return }
        digests.begin(resource)
        device = sender.identity.hash(of: rawDeviceID.span, app: sender.app.name)
        isShared = SharedIdentity.isShared(rawDeviceID, model: resource.deviceModel)
    }

    private mutating func beginBatch() {
        events.reset()
        digests.beginBatch()
        fingerprints = []
        places = RecordPlaces(resource: resourceIndex)
    }

    private mutating func endBatch() {
        guard recordsOfBatch > 0 else { return }
        recordsOfBatch = 0
        guard isCollecting, let device, let sender else { return }
        var judged = JudgedBatch()
        events.fill(&judged)
        judged.resource = resource
        var batch = judged.accepted(
            app: sender.app.id, device: device, isShared: isShared, batchID: digests.endBatch(),
            receivedAt: context.arrival, profile: .otlp, key: nil, bodyBytes: 0)
        batch.fingerprints = fingerprints
        bytes += batch.memory
        batches.append(LogBatch(batch: batch, places: places))
    }
}
