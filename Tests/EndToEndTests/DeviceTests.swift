import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Upkeep

/// docs/operation.md, One device and Retention, by the program itself.
@Suite("one device", .serialized)
struct DeviceTests {
    private func device(_ verb: String, _ server: TestServer, _ id: String) throws
        -> BuiltProgram
        .Result
    {
        try BuiltProgram.run(
            ["device", verb, "--app", "shop", "--device-id", id, "--json", "--data", server.data])
    }

    /// Which files of the data directory hold a text.
    private func files(_ server: TestServer, with text: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: server.data).filter { name in
            FileManager.default.contents(atPath: server.data + "/" + name)?
                .range(of: Data(text.utf8)) != nil
        }
    }

    private func own(_ mark: String, _ number: Int, device: String) -> String {
        let events = (0..<20).map {
            #"{"name":"app.\#(mark)","time":\#(now - 60_000),"attributes":{"k\#(mark)":"v\#(mark)-\#($0)","session.id":"s\#(mark)"}}"#
        }
        return
            #"{"batch_id":"\#(mark)-\#(number)","resource":{"app.installation.id":"\#(device)","service.version":"r\#(mark)"},"events":[\#(events.joined(separator: ","))]}"#
    }

    @Test("is shown, exported and erased while a server runs under load")
    func erase() throws {
        let server = try TestServer()
        try server.start()
        let connection = try server.connect()
        for number in 0..<30 {
            #expect(server.post(own("zq7", number, device: "victim-id"), on: connection) == 200)
        }
        let shown = try device("show", server, "victim-id")
        #expect(shown.status == 0 && shown.output.contains(#""batches":30,"events":600"#))
        #expect(!shown.output.contains("victim-id"))
        let hash = try #require(
            shown.output.firstMatch(of: /"device":"([0-9a-f]{32})"/)?.output.1)
        #expect(try server.report("devices/\(hash)?app=shop").split(separator: "\n").count == 600)
        let exported = try device("export", server, "victim-id").output
        #expect(exported == (try server.report("devices/\(hash)?app=shop")))
        #expect(try files(server, with: "zq7") != [])

        let isDone = Atomic(false)
        let posted = Atomic(0)
        let clients = DispatchGroup()
        for client in 0..<3 {
            DispatchQueue(label: "client.\(client)").async(group: clients) {
                guard let connection = try? server.connect() else { return }
                for number in 0... where !isDone.load(ordering: .relaxed) {
                    let text = batch("c\(client)-\(number)", device: "phone-\(client)", count: 5)
                    if server.post(text, on: connection) == 200 {
                        posted.add(5, ordering: .relaxed)
                    }
                    if isDone.load(ordering: .relaxed) { return }
                }
            }
        }
        let erased = try device("erase", server, "victim-id")
        isDone.store(true, ordering: .relaxed)
        clients.wait()
        #expect(erased.status == 0, "\(erased.errors)")
        #expect(erased.output.contains(#""batches":30,"events":600,"clean":true"#))
        #expect(try server.storedEvents().count == posted.load(ordering: .relaxed))
        #expect(try files(server, with: "zq7") == [])
        for verb in ["show", "export", "erase"] {
            let again = try device(verb, server, "victim-id")
            #expect(again.status == 65 && !again.errors.contains("victim-id"))
            #expect(again.errors.split(separator: "\n").count == 1)
        }
        // Sent again it is a new device's.
        #expect(server.post(own("zq7", 0, device: "victim-id"), on: connection) == 200)
        #expect(
            try device("show", server, "victim-id").output.contains(#""batches":1,"events":20"#))
        #expect(server.kill(SIGTERM) == 0)
        #expect(try device("erase", server, "victim-id").status == 0)
        #expect(try files(server, with: "zq7") == [] && files(server, with: "victim-id") == [])
    }

    @Test("is erased as a whole or not at all by an erasure that kill -9 interrupts")
    func killed() throws {
        let server = try TestServer()
        var kept: Set<String> = []
        for round in 0..<4 {
            try server.start()
            let connection = try server.connect()
            let mark = "zq\(round)x"
            for number in 0..<60 {
                #expect(server.post(own(mark, number, device: "v\(round)"), on: connection) == 200)
            }
            let other = batch("other-\(round)", device: "other")
            #expect(server.post(other, on: connection) == 200)
            kept.insert("other-\(round)")
            let command = DispatchGroup()
            DispatchQueue.global().async(group: command) {
                _ = try? device("erase", server, "v\(round)")
            }
            // At any moment of it: as soon as the receipt is there, and a little later.
            let deadline = ContinuousClock.now + Patience.most
            var receipts = 0
            while receipts <= round, ContinuousClock.now < deadline {
                let text = FileManager.default.contents(atPath: server.data + "/erased") ?? Data()
                receipts = text.count { $0 == UInt8(ascii: "\n") }
            }
            usleep(UInt32(round) * 2_000)
            #expect(server.kill(SIGKILL) == -SIGKILL)
            command.wait()
            try server.start()
            #expect(try device("show", server, "v\(round)").status == 65)
            #expect(try files(server, with: mark) == [], "round \(round)")
            let stored = Set(try server.storedEvents().map { String($0.split(separator: "/")[0]) })
            #expect(stored == kept)
            #expect(server.kill(SIGKILL) == -SIGKILL)
        }
    }

    @Test("prune deletes what is older, beside a server, which takes nothing older from then on")
    func prune() throws {
        let server = try TestServer()
        try server.start()
        let connection = try server.connect()
        let old = now - 20 * 86_400_000
        #expect(server.post(batch("old", at: old), on: connection) == 200)
        #expect(server.post(batch("young"), on: connection) == 200)
        let pruned = try BuiltProgram.json(
            ["prune", "--older-than", "10d", "--data", server.data])
        #expect(pruned["events"] as? Int == 3)
        #expect(Set(try server.storedEvents()) == ["young/0", "young/1", "young/2"])
        let late = batch("late", at: old)
        func answer(_ text: String) -> String? {
            connection.exchange(
                "POST /v1/apps/shop/batches HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(server.ingestToken)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
                    + text)?.body
        }
        #expect(answer(late)?.contains(#""accepted":0,"rejected":3"#) == true)
        #expect(
            answer(late.replacing("late", with: "later"))?.contains("time-out-of-range") == true)
        #expect(answer(batch("old", at: old))?.contains(#""duplicate":true,"accepted":3"#) == true)
        #expect(server.kill(SIGTERM) == 0)
        try server.start()
        #expect(server.post(batch("again", at: old), on: try server.connect()) == 200)
        #expect(try server.storedEvents().count == 3)
        let wrong = try BuiltProgram.run(["prune", "--older-than", "soon", "--data", server.data])
        #expect(wrong.status == 64)
    }
}
