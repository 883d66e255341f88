import Client
import JSON
import Truth

/// What a device meant, and what of it has to stand in the server: made of what its app said, of its clocks,
/// and of which batches were answered 200. It also sees that its client loses nothing untold and invents
/// nothing.
final class Account {
    /// What stands so far.
    private(set) var told: ToldDevice
    private let traits: DeviceTraits
    private var meant: [MeantEvent] = []
    /// The processes that have recorded, each from an index of `meant` on.
    private var launches: [Launch] = []
    private var session = Session()
    /// By how much the device's clock is ahead, ms.
    private var error: Int64
    private var files = Files()
    /// The bit of the device that is used now; another has a copy of its files.
    private var body: UInt8 = 1
    /// What of `meant` was recorded after the copy was made: it is not in the files.
    private var later = 0..<0
    /// Stored batches by their ids: which of `told` they are, and where in `meant` they begin.
    private var batches: [String: (told: Int, first: Int)] = [:]

    /// An event as it was meant.
    private struct MeantEvent {
        /// As the device stamps it, ms.
        let sent: Int64
        let name: String
        let attributes: [(key: String, value: Value)]
        /// Nil in the background.
        let session: String?
        /// Which of the device's bodies have got it to the server: one bit each.
        var delivered: UInt8 = 0
    }

    /// What the client's files have to say.
    struct Files {
        /// Events that were recorded with them, on whichever device.
        var appended: Int64 = 0
        /// Batches that were stored, by their ids.
        var stored: Set<String> = []
        /// Events in them.
        var arrived: Int64 = 0
        /// Of the next batch.
        var sequence: Int64 = 1
        /// What of `meant` has either arrived or will never: the oldest go first, whatever happens to them.
        var settled = 0
        /// How many of those will never.
        var dropped: Int64 = 0
        /// How many of these the server was told of.
        var toldDropped: Int64 = 0
    }

    /// A process of the app.
    private struct Launch {
        let first: Int
        let error: Int64
        let resource: ToldResource
    }

    /// Which session is open, by the times of the user's actions alone.
    private struct Session {
        var number = 0
        /// What stands for its id: the client draws another.
        var id = ""
        /// The app has been in the foreground since its launch.
        var wasOpen = false
        /// When it went to the background; nil in the foreground.
        var closed: Int64? = 0
    }

    /// What another device takes over with a copy of the files.
    struct Copy {
        let files: Files
        let delivered: [Bool]
    }

    init(_ traits: DeviceTraits) {
        self.traits = traits
        error = traits.clock.error
        told = ToldDevice(isShared: traits.isShared, batches: [], events: [])
    }

    // MARK: What happens

    func launch(_ identity: AppIdentity) {
        launches.append(Launch(first: meant.count, error: error, resource: .init(identity)))
        session.wasOpen = false
    }

    /// The clock is so much ahead from now on, ms.
    func setClock(_ error: Int64) { self.error = error }

    func open(at now: Int64) {
        let isSame = session.wasOpen && now - (session.closed ?? now) < Limits().sessionTimeout
        if !isSame {
            session.number += 1
            session.id = "\(traits.seed) \(session.number)"
        }
        session.wasOpen = true
        session.closed = nil
        add(isSame ? "session.resume" : "session.start", [], at: now)
    }

    func close(at now: Int64) {
        guard session.closed == nil else { return }
        add("session.end", [], at: now)
        session.closed = now
    }

    func say(_ said: Said, at now: Int64) { add(said.name, said.attributes, at: now) }

    private func add(_ name: String, _ attributes: [(key: String, value: Value)], at now: Int64) {
        guard let launch = launches.last else { return }
        meant.append(
            MeantEvent(
                sent: now + launch.error, name: name, attributes: attributes,
                session: session.closed == nil ? session.id : nil))
        files.appended += 1
    }

    func copy() -> Copy {
        Copy(files: files, delivered: meant.map { $0.delivered & body != 0 })
    }

    /// Another device goes on with the files of the copy. Its clock is right.
    func restore(_ copy: Copy) {
        files = copy.files
        later = copy.delivered.count..<meant.count
        body <<= 1
        error = 0
        for (index, delivered) in copy.delivered.enumerated() where delivered {
            meant[index].delivered |= body
        }
    }

    // MARK: What arrives

    /// A batch was answered 200.
    ///
    /// - Parameters:
    ///   - receipt: When, and what is known of its attempts.
    /// - Throws: `SimulationFailure` where it says what was not meant.
    func stored(
        _ post: Post, _ receipt: Receipt, _ rules: ServerRules
    ) throws(SimulationFailure) {
        let batch: SentBatch
        do throws(Malformed) {
            batch = try SentBatch(post.text)
        } catch {
            throw fault("posts what is no batch")
        }
        if let known = batches[batch.id] {
            told.batches[known.told].repeats += 1
            told.batches[known.told].uncertain += receipt.unknown
            // Perhaps the other body's, from before the copy.
            return try settle(batch, first: known.first)
        }
        guard !receipt.isRepeat || receipt.unknown > 0 else {
            throw SimulationFailure(
                reason: "the app holds these batches already: use another app or another --seed",
                kind: .refused)
        }
        let place = try find(batch)
        batches[batch.id] = (told.batches.count, place.first)
        let isOwn = place.launch == launches.count - 1
        if !batch.events.isEmpty {
            let expected = isOwn ? launches[place.launch].error : error
            guard post.error == expected else { throw fault("stamps a batch with a wrong time") }
        }
        let before = files.toldDropped
        try settle(batch, first: place.first)
        let rejected = tell(batch, first: place.first, post, receipt, rules)
        var stored = ToldBatch(
            id: batch.id, resource: launches[place.launch].resource, sequence: batch.sequence,
            dropped: files.toldDropped - before, rejected: rejected,
            accepted: Int64(batch.events.count) - rejected, repeats: receipt.isRepeat ? 1 : 0,
            isCorrected: ServerRules.corrects(post.error),
            posted: receipt.isRepeat ? receipt.first : receipt.last)
        stored.uncertain = receipt.isRepeat ? receipt.unknown - 1 : 0
        told.batches.append(stored)
    }

    /// Adds a batch's events to what stands.
    ///
    /// - Returns: how many the server rejects.
    private func tell(
        _ batch: SentBatch, first: Int, _ post: Post, _ receipt: Receipt, _ rules: ServerRules
    ) -> Int64 {
        var rejected: Int64 = 0
        for (offset, event) in batch.events.enumerated() {
            let meaning = meant[first + offset]
            guard let time = rules.place(event.time, error: post.error, arrival: receipt.last)
            else {
                rejected += 1
                continue
            }
            told.events.append(
                ToldEvent(
                    name: meaning.name, time: time, session: meaning.session,
                    attributes: meaning.attributes, batch: told.batches.count, index: offset))
        }
        return rejected
    }

    /// A batch of these files is stored. It is the next in their sequence, its events are the oldest that
    /// wait, and it says how many before them will never arrive, unless an earlier one has.
    private func settle(_ batch: SentBatch, first: Int) throws(SimulationFailure) {
        guard files.stored.insert(batch.id).inserted else { return }
        guard batch.sequence == files.sequence else { throw fault("leaves a hole in its sequence") }
        files.sequence += 1
        if !batch.events.isEmpty {
            while files.settled < first {
                let isGone = meant[files.settled].delivered & body == 0
                files.dropped += isGone && !later.contains(files.settled) ? 1 : 0
                files.settled += 1
            }
        }
        for index in 0..<batch.events.count {
            guard meant[first + index].delivered & body == 0 else {
                throw fault("sends an event twice")
            }
            meant[first + index].delivered |= body
        }
        files.arrived += Int64(batch.events.count)
        files.toldDropped += batch.dropped
        // It may tell of later ones, too, that have not shown yet: see `check`.
        guard files.toldDropped >= files.dropped else {
            throw fault(
                "has told of \(files.toldDropped) dropped events where \(files.dropped) were")
        }
    }

    /// Where a batch's events stand among what was meant: a stretch of what one process has recorded.
    private func find(
        _ batch: SentBatch
    ) throws(SimulationFailure) -> (launch: Int, first: Int) {
        guard let event = batch.events.first else { return (launches.count - 1, meant.count) }
        var end = meant.count
        for launch in launches.indices.reversed() {
            var index = lowerBound(event.time, in: launches[launch].first..<end)
            while index < end, meant[index].sent == event.time {
                if matches(batch.events, at: index, before: end) { return (launch, index) }
                index += 1
            }
            end = launches[launch].first
        }
        throw fault("sends \(event.name), which nobody meant")
    }

    /// A process stamps what it records in order, whatever happens to the clock.
    private func lowerBound(_ time: Int64, in range: Range<Int>) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if meant[middle].sent < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func matches(_ events: [SentBatch.Event], at first: Int, before end: Int) -> Bool {
        guard first + events.count <= end else { return false }
        return events.enumerated().allSatisfy { offset, event in
            let meaning = meant[first + offset]
            return meaning.sent == event.time && meaning.name == event.name
        }
    }

    // MARK: What has to hold

    /// A process has ended: what it has recorded is stored, counted as dropped, or waits.
    ///
    /// - Throws: `SimulationFailure` where it is neither.
    func check(_ status: Status) throws(SimulationFailure) {
        // The client does not know of what is stored while its answer is lost.
        let known = status.accepted + status.rejected
        guard status.appended == files.appended, known <= files.arrived,
            files.arrived <= known + status.waiting, files.toldDropped <= status.dropped,
            files.dropped <= status.dropped
        else {
            throw fault("has lost count: \(status), the simulation has \(files)")
        }
    }

    private func fault(_ what: String) -> SimulationFailure {
        SimulationFailure(reason: "a client \(what)", kind: .client)
    }
}

extension ToldResource {
    fileprivate init(_ identity: AppIdentity) {
        self.init(
            osName: identity.osName, osVersion: identity.osVersion,
            serviceVersion: identity.serviceVersion, model: identity.model,
            sdkName: identity.sdkName, sdkVersion: AppIdentity.sdkVersion)
    }
}
