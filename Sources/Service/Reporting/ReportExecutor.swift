import Database
import Dispatch
import Query
import Sockets
import Storage
import Synchronization

/// Computes reports beside ingest: at most four at once, each on a read connection of its own, the
/// rest in turn token by token (`ReportLine`); more than 64 waiting are turned away. A stream begins
/// where at most three others wait for their readers; its next pages wait in the same line, but are never
/// turned away (docs/operation.md, Settings: `report-timeout`).
final class ReportExecutor: Sendable {
    static let maxRunning = 4
    /// On how many threads one computes, as far as they have time.
    static let threadsOfOne = min(4, ProcessorCount.usable)
    static let maxWaiting = 64
    static let maxReaders = 4
    static let maxReadersPerToken = 2
    /// Bytes: after a report that has held so much, freed memory goes back to the system, a second later:
    /// of many such reports one pays for it.
    static let much = 8 << 20
    /// Of those that have begun, computing or not: each holds a page while it waits for its reader, as
    /// all of them may do at once.
    static let maxStreams = maxRunning + maxReaders
    static let maxStreamsPerToken = maxStreams / 2

    private struct State {
        /// What each lane computes.
        var running = [ReportJob?](repeating: nil, count: maxRunning)
        var waiting = ReportLine()
        /// How many streams have begun, by token.
        var streamsOf: [Int64?: Int] = [:]
        var isClosing = false
        var willTidy = false

        /// Freed memory is kept for the next report while one computes, and given back while several do; pages
        /// of answers that have begun hold little.
        var givesBack = false

        mutating func settleAllocator() {
            let several = running.count { $0?.continuesStream == false } > 1
            guard several != givesBack else { return }
            givesBack = several
            if several { AllocatorLimit.giveBackLarge() } else { AllocatorLimit.keepFreed() }
        }

        var streams: Int { streamsOf.values.reduce(0, +) }

        /// Streams for which nobody computes: their readers have not taken all of a page.
        var readers: Int {
            let computed = running.count { $0?.continuesStream == true }
            // One that has ended may still compute for a moment.
            return max(streams - computed - waiting.pages, 0)
        }

        /// The same of one token.
        func readers(of token: Int64?) -> Int {
            let computed = running.count { $0?.continuesStream == true && $0?.token == token }
            return max((streamsOf[token] ?? 0) - computed - waiting.pages(of: token), 0)
        }

        /// Whether one more answer of a token could begin that comes in pages. Those that begin at the same
        /// moment all compute, and then all wait: what a token has beyond its share of readers takes none of
        /// what others have, and it begins no more than half of all.
        func hasStreamSlot(for token: Int64?) -> Bool {
            let shares = streamsOf.keys.reduce(0) { sum, token in
                let own = readers(of: token)
                return sum + (token == nil ? own : min(own, maxReadersPerToken))
            }
            guard streams < maxStreams, shares < maxReaders else { return false }
            return token == nil
                || readers(of: token) < maxReadersPerToken
                    && (streamsOf[token] ?? 0) < maxStreamsPerToken
        }
    }

    private let state = Mutex(State())
    /// Serial queues: dispatch gives each a thread of its own, where a concurrent one would get no
    /// more than there are cores, and reports would keep each other's timers waiting.
    private let lanes: [DispatchQueue]
    private let clock = DispatchQueue(label: "sojourn.reports.clock", qos: .default)
    private let others = DispatchQueue(label: "sojourn.reports.others", attributes: .concurrent)
    private let atWork = DispatchGroup()
    private let readers: ConnectionPool
    private let gate: WALGate
    /// What reports hold.
    let memory: ReportMemory
    /// Milliseconds that one may compute.
    private let timeout: Int64

    /// - Parameters:
    ///   - timeout: milliseconds that one may compute
    ///   - memory: counts what each holds
    ///   - gate: where each waits before it computes
    ///   - open: opens a connection for reading
    init(
        timeout: Int64, memory: ReportMemory = ReportMemory(limit: .max),
        gate: WALGate = WALGate(),
        open: @escaping @Sendable () throws(StorageError) -> Connection
    ) {
        self.timeout = timeout
        self.memory = memory
        self.gate = gate
        readers = ConnectionPool(limit: Self.maxRunning, open: open)
        // Threads of this quality get about a tenth of a processor that ingest wants too.
        lanes = (0..<Self.maxRunning).map {
            DispatchQueue(label: "sojourn.reports.\($0)", qos: .background)
        }
    }

    convenience init(
        store: Store, timeout: Int64, memory: ReportMemory = ReportMemory(limit: .max)
    ) {
        self.init(
            timeout: timeout, memory: memory, gate: WALGate(of: store.writer)
        ) { () throws(StorageError) in try store.reader() }
    }

    /// Something short that may wait for the disk and needs no connection.
    func offLoop(_ work: @escaping @Sendable () -> Void) { others.async(execute: work) }

    /// Has a report computed, now or in its turn.
    /// - Parameters:
    ///   - name: of the report, for people who ask what reads for long
    ///   - token: the row of the token that asks; nil where none does
    ///   - continuesStream: it is the next page of an answer that has begun
    ///   - failed: called where it has no answer; not called for one that was cancelled
    /// - Returns: nil where too many wait already, or the executor is closed; nothing is called then
    func submit(
        named name: String = "report", of token: Int64? = nil, continuesStream: Bool = false,
        _ work: @escaping ReportJob.Work, failed: @escaping ReportJob.Failed
    ) -> ReportJob? {
        let job = ReportJob(
            memory.account(of: token), named: name, continuesStream: continuesStream, work,
            failed: failed)
        var other: ReportJob?
        let (isTaken, free) = state.withLock { state -> (Bool, Int?) in
            if state.isClosing { return (false, nil) }
            if let lane = state.running.firstIndex(where: { $0 == nil }) {
                state.running[lane] = job
                state.settleAllocator()
                state.waiting.note(token)
                atWork.enter()
                return (true, lane)
            }
            if !continuesStream, state.waiting.count >= Self.maxWaiting {
                other = state.waiting.giveWay(to: token)
                if other == nil { return (false, nil) }
            }
            state.waiting.append(job)
            return (true, nil)
        }
        other?.end(.overloaded, clock: clock)
        guard isTaken else { return nil }
        if let lane = free { lanes[lane].async { self.run(job, on: lane) } }
        return job
    }

    /// Nobody wants its answer any more: it loses its turn, or ends as soon as may be.
    func cancel(_ job: ReportJob) {
        state.withLock { $0.waiting.remove(job) }
        job.end(nil, clock: clock)
        gate.lookAgain()
    }

    /// Ends everything and gives the connections back, so that the database can be closed for good.
    /// Blocks; not to be called by a report.
    /// - Parameter patience: milliseconds to wait for what computes
    /// - Returns: false where something still computes then; its connection goes when it ends
    @discardableResult
    func close(patience: Int = 5_000) -> Bool {
        let left = state.withLock { state in
            state.isClosing = true
            return state.waiting.removeAll() + state.running.compactMap { $0 }
        }
        for job in left { job.end(.closing, clock: clock) }
        gate.lookAgain()
        let hasEnded = atWork.wait(timeout: .now() + .milliseconds(patience)) == .success
        readers.close()
        return hasEnded
    }

    /// How many compute and wait for their turn; how many answers in pages have begun, and how many of
    /// these wait for their readers.
    var load: (running: Int, waiting: Int, streams: Int, readers: Int) {
        state.withLock { state in
            (
                state.running.count { $0 != nil }, state.waiting.count, state.streams,
                state.readers
            )
        }
    }

    /// What computes.
    var computing: [ReaderSummary] {
        state.withLock { $0.running.compactMap { $0 } }.compactMap(\.reader)
    }

    /// A slot for such an answer, as long as it is held; nil where none is free.
    /// - Parameter token: the row of the token that asks; nil where none does
    func takeStreamSlot(for token: Int64? = nil) -> StreamSlot? {
        let isTaken = state.withLock { state in
            guard state.hasStreamSlot(for: token), !state.isClosing else { return false }
            state.streamsOf[token, default: 0] += 1
            return true
        }
        return isTaken ? StreamSlot(in: self, for: token) : nil
    }

    /// For `StreamSlot` alone.
    func releaseStreamSlot(for token: Int64?) {
        state.withLock { state in
            let left = (state.streamsOf[token] ?? 1) - 1
            state.streamsOf[token] = left > 0 ? left : nil
        }
    }

    private func run(_ job: ReportJob, on lane: Int) {
        do throws(StorageError) {
            guard let connection = try readers.take() else { throw .closed }
            gate.enter { job.isWanted }
            job.compute(on: connection, timeout: timeout, clock: clock)
            readers.put(connection)
            gate.leave()
            if job.peakBytes >= Self.much { tidySoon() }
        } catch {
            job.end(.database(QueryError(error)), clock: clock)
        }
        let next = state.withLock { state in
            state.running[lane] = state.waiting.take()
            state.settleAllocator()
            return state.running[lane]
        }
        if let next {
            lanes[lane].async { self.run(next, on: lane) }
        } else {
            atWork.leave()
        }
    }

    private func tidySoon() {
        let isFirst = state.withLock { state in
            defer { state.willTidy = true }
            return !state.willTidy
        }
        guard isFirst else { return }
        others.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            self?.state.withLock { $0.willTidy = false }
            AllocatorLimit.giveBackFreed()
        }
    }
}

/// One of the slots for answers that come in pages as their readers take them. Free again when
/// nothing holds it any more, however its answer ended.
final class StreamSlot: Sendable {
    private let executor: ReportExecutor
    private let token: Int64?

    /// The executor has counted it in.
    init(in executor: ReportExecutor, for token: Int64?) {
        self.executor = executor
        self.token = token
    }

    deinit { executor.releaseStreamSlot(for: token) }
}
