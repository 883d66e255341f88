import Client
import Curl
import Database
import FoundationEssentials
import Glibc
import Service
import Storage

/// How a command reaches the database: what writes is done by the running server over its control
/// socket, else here under the directory's lock; what reads has a connection of its own.
struct Administration {
    /// Milliseconds in which a server says that it lives, before it is asked for anything.
    static let patience = 10_000

    /// Milliseconds in which a process that neither listens nor lets others in may come to either.
    private static let patienceBetween: UInt32 = 3_000
    /// Milliseconds between two questions to a server or a lock.
    static let pause: UInt32 = 100

    let settings: Settings
    let directory: DataDirectory
    /// How a server that starts, stops or makes a backup is waited for.
    let polling: Polling
    /// Tells a person something beside the result.
    let note: (String) -> Void

    /// - Parameter note: tells a person something beside the result
    init(
        settings: Settings, polling: Polling = .system, note: @escaping (String) -> Void = { _ in }
    ) {
        self.settings = settings
        self.note = note
        self.polling = polling
        directory = DataDirectory(WorkingFolder.absolute(settings.data))
    }

    func perform(_ operation: AdminOperation) throws -> AdminResult {
        try inServerOrHere(operation) { store in
            try AdminOperations(
                store: store, cluster: settings.forward.map { try Cluster($0, store) }
            ).perform(operation)
        }
    }

    /// - Parameter here: does the same on a store of its own, where no server runs
    func inServerOrHere(
        _ operation: AdminOperation, here: (Store) throws -> AdminResult
    ) throws -> AdminResult {
        // A store that is opened here may have its schema brought up to date.
        TemporaryFiles.keep(in: settings.data)
        // Between the two tries a server may start or stop: the next round sees the other one.
        let result = try polling.first(every: Self.pause, for: Self.patienceBetween) {
            try inServer(operation) ?? self.here(operation, here)
        }
        guard let result else {
            throw AdminFailure(
                .busy,
                "data directory \(settings.data) is in use by a process that does not answer; try again"
            )
        }
        return result
    }

    /// What the running server has done; nil where none listens.
    private func inServer(_ operation: AdminOperation) throws -> AdminResult? {
        switch try answer(operation) {
        case .done(let result)?: result
        case .failed(let failure)?: throw failure
        case nil: nil
        }
    }

    /// What was done here; nil where another process has the directory.
    private func here(
        _ operation: AdminOperation, _ work: (Store) throws -> AdminResult
    ) throws -> AdminResult? {
        if !operation.mayBeFirst { try requireDatabase() }
        let store: Store
        do throws(StorageError) {
            store = try Store.open(settings.storage)
        } catch {
            guard error.isInUse else { throw AdminFailure(error) }
            return nil
        }
        let result = Result { try work(store) }
        do throws(StorageError) { try store.close() } catch { throw AdminFailure(error) }
        return try result.get()
    }

    /// What the running server says to it; nil where none listens.
    func answer(_ operation: AdminOperation) throws -> AdminAnswer? {
        guard access(directory.controlSocket, F_OK) == 0 else { return nil }
        let body = [UInt8](try JSONEncoder().encode(operation))
        let answer: HTTPAnswer
        do {
            // An erasure or a prune takes as long as it takes.
            var limits = HTTPClient.AnswerLimits()
            limits.totalTimeout = 0
            let client = try HTTPClient(
                ServerAddress("unix:" + directory.controlSocket), limits: limits)
            // A process that was stopped keeps its socket. It is asked for nothing: it would do it once
            // it goes on, after the command has said that it failed.
            _ = try client.send(.get("/livez"), totalTimeout: Self.patience)
            answer = try client.send(HTTPRequest(.post, "/control", body: body))
        } catch let failure as HTTPFailure {
            if failure.kind == .unreachable { return nil }
            if failure.kind == .timedOut {
                throw AdminFailure(
                    .busy,
                    "data directory \(settings.data) is in use by a server that has not answered for "
                        + "\(DurationText.text(milliseconds: Int64(Self.patience))); "
                        + "try again, or end that process")
            }
            throw AdminFailure(
                .unavailable, "the server at \(directory.controlSocket) does not answer: \(failure)"
            )
        }
        guard answer.status == 200,
            let parsed = try? JSONDecoder().decode(AdminAnswer.self, from: Data(answer.body))
        else {
            throw AdminFailure(
                .unavailable,
                "the server at \(directory.controlSocket) is of another version; restart it")
        }
        return parsed
    }
}
