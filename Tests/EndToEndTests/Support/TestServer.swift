import Dispatch
import Foundation
import Synchronization

/// `sojourn serve` as a process on a data directory of its own, with app `shop`, a key and tokens.
final class TestServer: @unchecked Sendable {
    let data: String
    private(set) var port: UInt16 = 0
    private var process = Process()
    private let log = ServerLog()

    let keyID = "k1"
    private(set) var secret = ""
    private(set) var reportToken = ""
    private(set) var ingestToken = ""

    /// - Parameter other: a server whose master key this one has, too; nil: it has one of its own
    init(masterKeyOf other: TestServer? = nil) throws {
        data =
            FileManager.default.temporaryDirectory
            .appending(path: "sojourn-end-\(UUID().uuidString)").path
        if let other {
            try FileManager.default.createDirectory(
                atPath: data, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            try FileManager.default.copyItem(
                atPath: other.data + "/master.key", toPath: data + "/master.key")
        }
        try BuiltProgram.json(["app", "add", "shop", "--allow-plain", "--data", data])
        secret = try text(
            "secret", of: ["key", "add", "--app", "shop", "--profile", "aes128gcm", "--id", keyID])
        reportToken = try text("token", of: ["token", "add", "--scope", "report"])
        ingestToken = try text("token", of: ["token", "add", "--scope", "ingest", "--app", "shop"])
    }

    deinit {
        kill(SIGKILL)
        try? FileManager.default.removeItem(atPath: data)
    }

    private func text(_ member: String, of arguments: [String]) throws -> String {
        guard let text = try BuiltProgram.json(arguments + ["--data", data])[member] as? String
        else {
            throw Failure(text: "\(arguments) did not print \(member)")
        }
        return text
    }

    /// Adds a key of app `shop`: its secret, or the public half as a JWK.
    func addKey(_ id: String, profile: String, algorithm: String? = nil) throws -> String {
        let key = try BuiltProgram.json(
            ["key", "add", "--app", "shop", "--profile", profile, "--id", id, "--data", data]
                + (algorithm.map { ["--alg", $0] } ?? []))
        if let secret = key["secret"] as? String { return secret }
        guard let jwk = key["public_jwk"] else { throw Failure(text: "no secret of \(id)") }
        return String(decoding: try JSONSerialization.data(withJSONObject: jwk), as: UTF8.self)
    }

    /// Has the program seal and post a batch: the status and the code of the answer.
    func send(_ json: String, key: String, secretFile: String) throws -> (status: Int, code: String)
    {
        let result = try BuiltProgram.run(
            [
                "send", "-", "--url", url, "--app", "shop", "--key", key, "--secret-file",
                secretFile, "--patience", "0s", "--json",
            ], input: json)
        guard let status = result.output.firstMatch(of: /"status":([0-9]+)/)?.output.1 else {
            throw Failure(text: "send: \(result.status) \(result.errors)")
        }
        let code = result.output.firstMatch(of: /"code":"([^"]+)"/)?.output.1 ?? ""
        return (Int(status) ?? 0, String(code))
    }

    /// Starts the server and returns when it listens.
    func start(_ settings: [String] = [], environment: [String: String] = [:]) throws {
        log.clear()
        process = Process()
        process.executableURL = BuiltProgram.url
        process.arguments =
            ["serve", "--data", data, "--listen", "127.0.0.1:0", "--admin-listen", "off"] + settings
        process.environment = BuiltProgram.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        // The log alone: a handler that held the server would keep it and its process for ever.
        pipe.fileHandleForReading.readabilityHandler = { [log] handle in
            let piece = handle.availableData
            if piece.isEmpty { handle.readabilityHandler = nil }
            log.append(piece)
        }
        try process.run()
        let line = try wait(for: /listening on 127\.0\.0\.1:([0-9]+)/)
        port = UInt16(line) ?? 0
    }

    private func wait(for pattern: Regex<(Substring, Substring)>) throws -> Substring {
        let deadline = DispatchTime.now() + 120
        while true {
            if let match = try? pattern.firstMatch(in: log.text) { return match.output.1 }
            guard log.waitForMore(until: deadline) else {
                throw Failure(text: "the server did not listen: \(log.text)")
            }
        }
    }

    /// Sends a signal that does not end it.
    func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

    /// Sends a signal and waits for the end; the exit code, or minus the signal.
    @discardableResult
    func kill(_ signal: Int32) -> Int32 {
        guard process.isRunning else { return 0 }
        Foundation.kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationReason == .exit
            ? process.terminationStatus : -process.terminationStatus
    }

    /// What it has logged.
    var logText: String { log.text }

    /// Returns when the log has that text, or after two minutes.
    func waitForLog(_ text: String) {
        let deadline = DispatchTime.now() + 120
        while !log.text.contains(text), log.waitForMore(until: deadline) {}
    }

    var url: String { "http://127.0.0.1:\(port)" }

    func connect() throws -> TestConnection { try TestConnection(port: port) }

    /// Posts a plain batch; the status, or nil where the connection broke.
    func post(_ json: String, on connection: TestConnection) -> Int? {
        answer(to: json, on: connection)?.status
    }

    /// Posts a plain batch; nil where the connection broke.
    func answer(to json: String, on connection: TestConnection) -> TestConnection.Answer? {
        connection.exchange(
            "POST /v1/apps/shop/batches HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ingestToken)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n"
                + json)
    }

    func report(_ path: String) throws -> String {
        let answer = try connect().exchange(
            "GET /report/\(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(reportToken)\r\nConnection: close\r\n\r\n"
        )
        guard let answer, answer.status == 200 else {
            throw Failure(
                text: "\(path): \(answer.map { "\($0.status) \($0.body)" } ?? "no answer")")
        }
        return answer.body
    }

    /// Every stored event as `batch_id/index`, in the export's order.
    func storedEvents() throws -> [String] {
        try report("export?app=shop&from=\(day(-400))&to=\(day(1))").split(separator: "\n").map {
            line in
            let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let id = event?["batch_id"] as? String, let index = event?["index"] as? Int else {
                throw Failure(text: "no event: \(line)")
            }
            return "\(id)/\(index)"
        }
    }
}

/// What a server has logged so far.
final class ServerLog: Sendable {
    private let lines = Mutex("")
    private let grown = DispatchSemaphore(value: 0)

    var text: String { lines.withLock { $0 } }

    func clear() { lines.withLock { $0 = "" } }

    func append(_ piece: Data) {
        lines.withLock { $0 += String(decoding: piece, as: UTF8.self) }
        grown.signal()
    }

    /// False when the deadline has passed.
    func waitForMore(until deadline: DispatchTime) -> Bool {
        grown.wait(timeout: deadline) == .success
    }
}
