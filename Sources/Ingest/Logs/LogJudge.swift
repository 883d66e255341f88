import Events
import JSON
import Protobuf
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
    var attributes: ReadAttributes
    var record = ReadRecord()

    var events: EventJudge
    var digests = RecordDigests()
    let resourceNames: Interner
    let unstored: Interner
    var context = JudgeContext(profile: .otlp, arrival: 0)
    var escaped: [UInt8] = []

    // Of the request:
    /// Its fields in protobuf, as far as it was read.
    var fields = FieldCount()
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
    private var resourceCount = 0
    private var scopeCount = 0
    private var recordCount = 0
    /// Resources and records so far.
    private var steps = 0
    private var maxSteps = Int.max
    private var maxDigits = Int.max

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

    /// A request may have so many times `max-batch-events` records, and as many ResourceLogs and ScopeLogs.
    static let batchesOfRequest = 10

    init(hash: TextHash) {
        attributes = ReadAttributes(hash: hash)
        events = EventJudge(hash: hash)
        for number in StandardAttribute.allCases.indices {
            events.keys[mark: number] = NameMark.valid
        }
        resourceNames = Interner(hash: hash, fixed: Resource.members + LogMapping.identities)
        unstored = Interner(hash: hash, fixed: LogMapping.unstored)
    }

    /// Another request begins, or what was left of one.
    /// - Parameters:
    ///   - maxSteps: so many resources and records are judged; of a request that has more it is only found out
    ///     whether it is one
    ///   - maxDigits: so many bytes may its integers have beyond what stands in it; as with `maxSteps`
    ///   - maxFields: so many fields may it have in protobuf
    mutating func begin(
        _ context: JudgeContext, of sender: Sender, maxSteps: Int = .max, maxDigits: Int = .max,
        maxFields: Int = .max
    ) {
        self.context = context
        self.maxSteps = maxSteps
        self.maxDigits = maxDigits
        steps = 0
        attributes.addedDigits = 0
        fields = FieldCount(limit: maxFields)
        self.sender = sender
        batches = []
        bytes = 0
        pieces = []
        isPart = false
        rejections = LogRejections()
        resourcesWithoutDevice = 0
        hasOtherDevices = false
        firstDevice = nil
        resourceCount = 0
        scopeCount = 0
        recordCount = 0
    }

    /// It has more resources and records than were to be judged.
    var exceedsSteps: Bool { steps > maxSteps }
    /// Its integers, written out, have more bytes than they may.
    var exceedsDigits: Bool { attributes.addedDigits > maxDigits }

    /// More records, ResourceLogs or ScopeLogs than a request may have. It is read to its end all the same: what is
    /// malformed after them makes it malformed.
    var hasTooMany: Bool {
        max(recordCount, resourceCount, scopeCount) > LogJudge.batchesOfRequest * context.maxEvents
    }

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

    /// The resource's attributes have been read; its records come next. Nothing is made of it before the first: most
    /// that have none are many.
    mutating func beginResource(_ index: Int) {
        steps += 1
        resourceCount += 1
        resourceIndex = index
        isCollecting = hasRoom
        recordsOfResource = 0
        recordsOfBatch = 0
        device = nil
    }

    /// A ScopeLogs of it comes next.
    mutating func beginScope() { scopeCount += 1 }

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

    /// A record comes next.
    mutating func beginRecord(_ bytes: Span<UInt8>) {
        if recordsOfResource == 0 { readResource(bytes) }
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
        guard !hasTooMany, !exceedsSteps, !exceedsDigits else { return }
        let place = RecordPlace(resource: resourceIndex, scope: scope, record: index)
        guard !rawDeviceID.isEmpty else { return rejections.addWithoutDevice(at: place) }
        if device == nil { findDevice() }
        if recordsOfBatch == context.maxEvents { endBatch() }
        if recordsOfBatch == 0 { beginBatch() }
        places.add(index: recordsOfBatch, scope: scope, record: index)
        judge(place, bytes)
        recordsOfBatch += 1
    }

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
