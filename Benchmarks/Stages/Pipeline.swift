import Compression
import Events
import HTTP1
import Ingest
import Sealing

/// The way of a batch up to the writer, each stage by itself. What a stage hands on was made before
/// its time is taken.
final class Pipeline {
    static let app = "shop"

    private var requests: [[UInt8]]
    let bodies: [[UInt8]]
    private(set) var gzipped: [[UInt8]] = []
    private(set) var texts: [[UInt8]] = []
    private(set) var identities: [[UInt8]] = []
    private(set) var accepted: [AcceptedBatch] = []
    private(set) var events = 0

    private let secret: [UInt8]
    private let access: AccessList
    private let admission: Admission
    private let arrival: Int64
    private let limits = IngestLimits(
        maxInflatedBytes: 8 << 20, maxBatchEvents: 5_000, maxEventAge: 400 * 86_400_000)
    private let pepper = [UInt8](repeating: 7, count: 32)

    /// - Parameters:
    ///   - key: the id of the key that the bodies name.
    ///   - arrival: milliseconds since 1970; the batches were made a moment before.
    /// - Throws: what a server would refuse one of the batches for.
    init(requests: [[UInt8]], key: String, secret: [UInt8], arrival: Int64) throws {
        let app = AccessList.App(id: 1, name: Self.app, allowsPlain: false)
        let ingestKey = AccessList.Key(
            id: 1, name: key, app: app, profile: .aes128gcm, isRevoked: false,
            material: .symmetric(secret))
        access = AccessList(apps: [app], keys: [ingestKey], tokens: [:])
        admission = try Admission(
            app: app,
            format: BodyFormat(contentType: "application/json", codings: ["gzip, aes128gcm"]),
            authorization: nil, access: access)
        self.requests = requests
        self.secret = secret
        self.arrival = arrival
        bodies = requests.map(Self.body)
        try prepare()
    }

    /// What stands behind the head.
    private static func body(_ request: [UInt8]) -> [UInt8] {
        for end in 3..<request.count where request[end - 3...end].elementsEqual([13, 10, 13, 10]) {
            return Array(request[(end + 1)...])
        }
        return []
    }

    private func prepare() throws {
        let (coding, secret) = (ContentCoding(), secret)
        let inflater = Inflater()
        let worker = IngestWorker(limits: limits, pepper: pepper)
        var judge = BatchJudge()
        var scratch: [UInt8] = []
        for body in bodies {
            let opened = try coding.open(body.span, secret: secret.span, into: &scratch)
            let packed = Array(scratch[..<opened])
            let inflated = try inflater.gunzip(
                packed.span, limit: limits.maxInflatedBytes, into: &scratch)
            let text = Array(scratch[..<inflated])
            let judged = try judge.judge(text.span, context)
            gzipped.append(packed)
            texts.append(text)
            identities.append(judged.rawDeviceID)
            guard
                case .accepted(let batch) = try worker.accept(
                    body.span, admission, arrival: arrival, access: access)
            else { continue }
            accepted.append(batch)
            events += batch.events.count
        }
    }

    private var context: JudgeContext { JudgeContext(profile: .aes128gcm, arrival: arrival) }

    /// Head and body of each request taken in, and an answer encoded, without a socket.
    func http() {
        var machine = ConnectionMachine(limits: RequestLimits(), timeouts: Timeouts(), now: 0)
        let response = Response(
            status: 200, contentType: "application/json", body: [UInt8](repeating: 32, count: 120))
        let date = HTTPDate.text(seconds: arrival / 1000)
        var output: [UInt8] = []
        // In place, as a server does: a copy of each would be measured too.
        var windows = requests
        requests = []
        defer { requests = windows }
        for place in windows.indices {
            var isAnswered = false
            while !isAnswered {
                var span = windows[place].mutableSpan
                switch machine.advance(&span, now: 0) {
                case .admit: machine.readBody(limit: 1 << 20)
                case .handle:
                    guard let form = machine.answer(closes: false, streams: false, now: 0) else {
                        return
                    }
                    output.removeAll(keepingCapacity: true)
                    ResponseEncoder.append(
                        response, form, date: date, to: &output)
                    _ = machine.wrote(output.count, pending: 0, now: 0)
                    isAnswered = true
                default: return
                }
            }
        }
    }

    func open() {
        let (coding, secret) = (ContentCoding(), secret)
        var scratch: [UInt8] = []
        for body in bodies { _ = try? coding.open(body.span, secret: secret.span, into: &scratch) }
    }

    func inflate() {
        let inflater = Inflater()
        var scratch: [UInt8] = []
        for body in gzipped {
            _ = try? inflater.gunzip(body.span, limit: limits.maxInflatedBytes, into: &scratch)
        }
    }

    func judge() {
        var judge = BatchJudge()
        let context = context
        for text in texts { _ = try? judge.judge(text.span, context) }
    }

    func hash() {
        let identity = DeviceIdentity(pepper: pepper)
        for raw in identities { _ = identity.hash(of: raw.span, app: Self.app) }
    }

    /// From the sealed body to the batch that may be stored, as the server does it.
    func accept() {
        let worker = IngestWorker(limits: limits, pepper: pepper)
        for body in bodies {
            _ = try? worker.accept(body.span, admission, arrival: arrival, access: access)
        }
    }
}
