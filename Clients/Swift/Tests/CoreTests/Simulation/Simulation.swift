@testable import Core

/// One phone, its folder and a server, and the account that has to hold between them. What is asked of a
/// dead process does nothing, so that a scenario is written once and can be killed anywhere.
final class Simulation {
    let folder: MemoryFolder
    let server: SimulatedServer
    let network: SimulatedPhone.Network
    private(set) var phone: SimulatedPhone
    private(set) var machine: Machine<SimulatedPhone>
    private(set) var limits: Limits
    private var fingerprint: UInt64 = 1
    /// What `appended` of the status may be.
    private(set) var appended: ClosedRange<Int64> = 0...0
    /// What was told to be dropped in memory and dies with the process.
    private var unwritten: Int64 = 0
    private var isForeground = false
    /// Whether the user had something deleted.
    private(set) var hasDeleted = false
    /// Whether no other process has the folder, and nobody has damaged it: the account is exact.
    private var isAlone: Bool
    /// The number of the latest event.
    private var ordinals: Int64
    /// Numbers of events that are deleted.
    private var deleted: Range<Int64>?
    /// What went wrong.
    private(set) var faults: [String] = []

    init(
        _ folder: MemoryFolder = MemoryFolder(), limits: Limits = Limits(),
        fate: SimulatedProcess.Fate = .survives
    ) {
        self.folder = folder
        self.limits = limits
        server = SimulatedServer()
        network = .init(server)
        isAlone = true
        ordinals = 0
        let process = SimulatedProcess(id: 1, fate: fate)
        phone = SimulatedPhone(process, network, seed: 1)
        machine = Self.machine(phone, folder, limits, fingerprint)
        watch()
    }

    /// A process that has its folder and its server with others.
    ///
    /// - Parameters:
    ///   - number: Among them, from 1.
    ///   - pause: Gives others a turn.
    init(
        _ folder: MemoryFolder, _ network: SimulatedPhone.Network, limits: Limits, number: Int,
        fate: SimulatedProcess.Fate = .survives, pause: @escaping () -> Void
    ) {
        self.folder = folder
        self.limits = limits
        self.network = network
        server = network.server
        isAlone = false
        ordinals = Int64(number) * 1_000_000
        let process = SimulatedProcess(id: number * 1000, fate: fate)
        process.pause = pause
        phone = SimulatedPhone(process, network, seed: UInt64(number))
        machine = Self.machine(phone, folder, limits, fingerprint)
        watch()
    }

    private static func machine(
        _ phone: SimulatedPhone, _ folder: MemoryFolder, _ limits: Limits, _ fingerprint: UInt64
    ) -> Machine<SimulatedPhone> {
        let process = phone.process
        process.died = { [unowned folder, unowned phone] in
            folder.release(process.id)
            phone.network.requests.removeAll { $0.phone === phone }
        }
        return Machine(
            phone, disk: MemoryDisk(folder: folder, process: process), limits: limits,
            clock: Clock(wall: phone.wall, monotonic: phone.monotonic), fingerprint: fingerprint,
            resource: Array("{\"os.name\":\"Linux\"}".utf8))
    }

    private func watch() {
        phone.posting = { [unowned self] body in
            for event in SimulatedServer.Batch(body)?.events ?? []
            where deleted?.contains(Self.ordinal(of: event) ?? -1) == true {
                faults.append("posted after it was deleted: \(event)")
            }
            guard let frozen = machine.journal?.ledger.frozen else { return }
            let file = folder.files[Segment.name(frozen.segment)]
            if (file?.synced.count ?? 0) < frozen.range.upperBound {
                faults.append("posted before it was synced")
            }
            let ledger = folder.files["ledger"].flatMap { Ledger(text: $0.written) }
            let rest = ledger?.wait.remaining(at: phone.wall, configuration: fingerprint) ?? 0
            if rest > 0 { faults.append("posted \(rest) ms too early") }
        }
    }

    var isDead: Bool { phone.process.isDead }
    var operations: Int { phone.process.operations }

    // MARK: What an app does

    /// Records events, in one write.
    func events(_ count: Int, padding: Int = 0) {
        record(
            (0..<count).map { _ in
                ordinals += 1
                var attributes: [String: Value] = ["n": .integer(ordinals)]
                if padding > 0 {
                    attributes["p"] = .string(String(repeating: "x", count: padding))
                }
                return .event(name: "e", attributes: attributes, isOwn: true)
            })
    }

    /// A call that breaks a rule: it counts as appended and dropped.
    func refusedCall() { record([.event(name: "Wrong", attributes: [:], isOwn: true)]) }

    func foreground() {
        record([.foreground], counts: !isForeground)
        isForeground = true
    }

    /// The app goes to the background; the upload that this begins runs to its end.
    func background() {
        record([.background(then: {})], counts: isForeground)
        isForeground = false
        settle()
    }

    func forget() { delete(.forget(then: {})) }

    func enable(_ isEnabled: Bool) {
        if isEnabled {
            record([.enable(true, then: {})], counts: false)
        } else {
            delete(.enable(false, then: {}))
        }
    }

    private func delete(_ call: Call) {
        guard !isDead else { return }
        hasDeleted = true
        record([call], counts: false)
        if !isDead { deleted = ordinals / 1_000_000 * 1_000_000..<ordinals + 1 }
    }

    /// The number of an event that `events` has made.
    private static func ordinal(of event: String) -> Int64? {
        let text = Array(event.utf8)
        let key = Array("\"n\":".utf8)
        guard let start = text.indices.first(where: { text[$0...].starts(with: key) }) else {
            return nil
        }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return Decimal.value(text[(start + key.count)...].prefix { digits.contains($0) })
    }

    private func record(_ calls: [Call], counts: Bool = true) {
        guard !isDead else { return }
        for _ in 0..<100 where !machine.isOpen { advance(1000) }
        let isCounted = counts && machine.journal?.ledger.isEnabled == true
        let count = isCounted ? Int64(calls.count) : 0
        network.monotonic += 1_000_000
        machine.take(calls.map { TimedCall($0, at: phone.monotonic) })
        appended = appended.lowerBound + (isDead ? 0 : count)...appended.upperBound + count
        if !isDead { machine.considerUpload() }
        check()
    }

    /// Asks for an upload, which runs to its end.
    func flush(settles: Bool = true) {
        guard !isDead else { return }
        machine.flush(until: phone.monotonic + 10_000_000_000) { _ in }
        if settles { settle() }
        check()
    }

    // MARK: Time and the network

    /// Lets the server answer what is on its way, until nothing is.
    func settle() {
        for _ in 0..<1000 {
            guard !isDead, answer() else { return }
        }
        faults.append("requests without end")
    }

    /// Lets the server answer one request; false where none is on its way.
    @discardableResult
    func answer() -> Bool {
        phone.process.pause()
        guard let index = network.requests.firstIndex(where: { $0.phone === phone }) else {
            return false
        }
        let request = network.requests.remove(at: index)
        let reply = request.isCancelled ? .failure("cancelled") : server.answer(request.body)
        machine.posted(request.attempt, reply)
        return true
    }

    /// Lets so many milliseconds pass.
    func advance(_ milliseconds: Int64) {
        let end = phone.monotonic + milliseconds * 1_000_000
        var atOnce = 0
        while !isDead, let alarm = machine.alarm, alarm <= end {
            atOnce = alarm <= phone.monotonic ? atOnce + 1 : 0
            guard atOnce < 100 else {
                faults.append("it wakes without end")
                break
            }
            network.monotonic = max(network.monotonic, alarm)
            machine.tick()
            settle()
        }
        network.monotonic = max(network.monotonic, end)
        check()
    }

    // MARK: Ends and beginnings

    /// The app is started again, perhaps with another key.
    func restart(key: UInt64? = nil) {
        guard !isDead else { return }
        unwritten = machine.journal?.unwritten ?? 0
        start(phone.process.fate, key ?? fingerprint)
    }

    /// It is started again after a kill or when the power was cut.
    func recover(isPowerCut: Bool = false, fate: SimulatedProcess.Fate = .survives) {
        if isPowerCut {
            let lost = folder.files.reduce(0) { $0 + Self.unsynced($1.key, $1.value) }
            appended = max(0, appended.lowerBound - lost)...appended.upperBound
            phone.process.kill()
            folder.cutPower()
        }
        start(fate, fingerprint)
        advance(0)
    }

    /// The process ends, and with it what was to be told and could not be written.
    func end() {
        // What the disk never took is forgotten.
        if !machine.wishes.isEmpty { deleted = nil }
        phone.process.kill()
        appended = max(0, appended.lowerBound - unwritten)...appended.upperBound
        unwritten = 0
    }

    private func start(_ fate: SimulatedProcess.Fate, _ key: UInt64) {
        end()
        isForeground = false
        fingerprint = key
        let process = SimulatedProcess(
            id: phone.process.id + 1, fate: fate, after: phone.process)
        process.pause = phone.process.pause
        network.monotonic += 1_000_000_000
        phone = SimulatedPhone(process, network, seed: phone.random())
        machine = Self.machine(phone, folder, limits, fingerprint)
        watch()
        check()
    }

    /// Events of a segment that a power cut takes.
    private static func unsynced(_ name: String, _ file: MemoryFolder.File) -> Int64 {
        guard Segment.number(in: name) != nil else { return 0 }
        return Line.read(file.written, from: file.synced.count).reduce(0) { sum, line in
            switch line.kind {
            case .event: sum + 1
            case .drops(let count): sum + count
            case .resource, .damaged: sum
            }
        }
    }

    /// With a server that stores everything, until nothing waits.
    func finish() {
        server.script = []
        for _ in 0..<40 where !isDead {
            guard machine.journal?.hasSomething != false else { return }
            flush()
            advance(machine.status.next + 1000)
        }
        faults.append("it never ends: \(machine.status) \(phone.lines.suffix(3))")
    }

    /// Somebody changes the folder, as it runs or before the next start.
    func damage(_ change: (MemoryFolder) -> Void) {
        isAlone = false
        change(folder)
    }

    // MARK: The account

    /// What has to hold at each moment.
    private func check() {
        guard !isDead, let journal = machine.journal else { return }
        unwritten = journal.unwritten
        let status = machine.status
        if isAlone {
            if !appended.contains(status.appended) {
                faults.append("appended \(status.appended), not \(appended): \(status)")
            }
            appended = status.appended...status.appended
        }
        if folder.size > limits.journal / 4 * 5 + 768 << 10 {
            faults.append("\(folder.size) bytes of files")
        }
    }

    /// What is wrong when nothing waits any longer.
    ///
    /// - Parameter others: Processes that have had the folder with this one.
    func verdict(with others: [Simulation] = []) -> [String] {
        var wrongs = others.reduce(faults + server.faults) { $0 + $1.faults }
        let hasDeleted = hasDeleted || others.contains { $0.hasDeleted }
        let status = machine.status
        func expect(_ holds: Bool, _ what: String) {
            if !holds {
                wrongs.append("\(what): \(status), stored \(server.count), told \(server.told)")
            }
        }
        let stored = Int64(server.count)
        let twice = Int64(server.twice)
        let low = others.reduce(appended.lowerBound) { $0 + $1.appended.lowerBound }
        let high = others.reduce(appended.upperBound) { $0 + $1.appended.upperBound }
        expect((low...high).contains(status.appended), "appended, not \(low...high)")
        expect(status.waiting == 0, "waiting")
        expect(status.accepted + status.rejected <= stored, "accepted without being stored")
        if !hasDeleted {
            expect(status.deleted == 0, "deleted by nobody")
            expect(status.accepted + status.rejected >= stored - twice, "stored and not accepted")
            expect(
                (status.dropped...status.dropped + twice).contains(server.told), "dropped, untold")
        } else {
            expect(server.told <= status.dropped + twice, "told and not dropped")
        }
        return wrongs
    }
}
