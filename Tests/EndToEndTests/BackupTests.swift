import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// docs/operation.md, Backup and restore.
@Suite("backup, restore and verify", .serialized)
struct BackupTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "sojourn-backup-\(UUID().uuidString)").path

    private func run(_ arguments: String...) throws -> BuiltProgram.Result {
        try BuiltProgram.run(arguments)
    }

    /// Every stored event as the command prints it.
    private func export(_ data: String) throws -> String {
        let result = try run(
            "report", "export", "--app", "shop", "--from", day(-400), "--to", day(1), "--data", data
        )
        #expect(result.status == 0, "\(result.errors)")
        return result.output
    }

    /// A line's batch, without a pattern: there may be a million lines.
    private static func batchID(_ line: Substring.UTF8View) -> String? {
        let name = Array(#""batch_id":""#.utf8)
        guard let start = line.firstRange(of: name)?.upperBound,
            let end = line[start...].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return String(line[start..<end])
    }

    @Test("made under load it holds whole batches, all that were answered before, and comes back")
    func underLoad() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try TestServer()
        try server.start()
        let eventsOfBatch = ChaosSize.backup == nil ? 20 : 500
        let batches = (ChaosSize.backup ?? 2_000) / eventsOfBatch
        let answered = Mutex<[String]>([])
        let stop = Mutex(false)
        let enough = DispatchSemaphore(value: 0)
        let clients = DispatchGroup()
        for client in 0..<4 {
            DispatchQueue(label: "client.\(client)").async(group: clients) {
                guard let connection = try? server.connect() else { return }
                for number in 0... {
                    if stop.withLock({ $0 }) { return }
                    let id = "c\(client)-\(number)"
                    let text = batch(id, device: "phone-\(client)", count: eventsOfBatch)
                    guard server.post(text, on: connection) == 200 else { return }
                    let count = answered.withLock { answered in
                        answered.append(id)
                        return answered.count
                    }
                    if count == batches { enough.signal() }
                }
            }
        }
        #expect(enough.wait(timeout: .now() + 600) == .success)
        let before = Set(answered.withLock { $0 })
        let made = try run("backup", folder + "/copy", "--with-key", "--data", server.data)
        let beside = try run("verify", "--data", server.data)
        stop.withLock { $0 = true }
        clients.wait()
        #expect(made.status == 0, "\(made.errors)")
        #expect(beside.status == 0, "\(beside.output)")

        let restored = try run("restore", folder + "/copy", "--data", folder + "/data", "--json")
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try run("verify", "--data", folder + "/data").status == 0)
        var events: [String: Int] = [:]
        for line in try export(folder + "/data").utf8.split(separator: UInt8(ascii: "\n")) {
            events[try #require(Self.batchID(line)), default: 0] += 1
        }
        #expect(before.isSubset(of: events.keys), "a batch is lost")
        #expect(events.values.allSatisfy { $0 == eventsOfBatch }, "a batch is not whole")
        let report = try run(
            "report", "events", "--app", "shop", "--from", day(-1), "--to", day(1), "--format",
            "csv", "--data", folder + "/data")
        let total = events.values.reduce(0, +)
        #expect(report.output.contains("app.tap,\(total),"), "\(report.output) \(report.errors)")
        #expect(total >= ChaosSize.backup ?? 2_000)
        #expect(server.kill(SIGTERM) == 0)

        // At rest a copy is the same to the last octet of what it reports.
        #expect(
            try run("backup", folder + "/rest", "--with-key", "--data", server.data).status == 0)
        #expect(try run("restore", folder + "/rest", "--data", folder + "/again").status == 0)
        let wanted = try export(server.data)
        #expect(!wanted.isEmpty)
        #expect(try export(folder + "/again") == wanted)
    }

    @Test("refusals have the exit codes of the contract")
    func refusals() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try TestServer()
        #expect(try run("backup", folder, "--data", folder + "/none").status == 74)
        #expect(try run("backup", folder + "/copy", "--data", server.data).status == 0)
        #expect(try run("backup", folder + "/copy", "--data", server.data).status == 73)
        #expect(try run("restore", folder + "/copy", "--data", server.data).status == 73)
        try server.start()
        #expect(try run("backup", folder + "/copy", "--data", server.data).status == 73)
        #expect(try run("restore", folder + "/copy", "--data", server.data).status == 75)
        #expect(try run("restore", folder + "/none", "--data", folder + "/data").status == 65)
        #expect(server.kill(SIGTERM) == 0)
        let database = URL(filePath: server.data + "/sojourn.db")
        var octets = try Data(contentsOf: database)
        let found = try #require(octets.range(of: Data("shop".utf8), options: .backwards))
        octets[found.lowerBound] ^= 1
        try octets.write(to: database)
        let result = try run("verify", "--data", server.data)
        #expect(result.status == 65)
        #expect(result.output.contains("; bring back a backup\n"))
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test("a kill while it is made leaves what is refused, or a whole one")
    func killed() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try TestServer()
        for round in 0..<3 {
            try server.start()
            let connection = try server.connect()
            for number in 0..<40 {
                let text = batch("r\(round)-\(number)", device: "phone-\(number)", count: 200)
                #expect(server.post(text, on: connection) == 200)
            }
            let target = folder + "/copy-\(round)"
            let asked = DispatchGroup()
            DispatchQueue(label: "backup").async(group: asked) {
                _ = try? BuiltProgram.run(["backup", target, "--with-key", "--data", server.data])
            }
            #expect(
                eventually { FileManager.default.fileExists(atPath: target + "/sojourn.db") })
            #expect(server.kill(SIGKILL) == -SIGKILL)
            asked.wait()
            let isWhole = FileManager.default.fileExists(atPath: target + "/manifest.json")
            let data = folder + "/data-\(round)"
            #expect(try run("restore", target, "--data", data).status == (isWhole ? 0 : 65))
            #expect(FileManager.default.fileExists(atPath: data + "/sojourn.db") == isWhole)
        }
    }
}
