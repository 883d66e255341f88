import HTTP1
import TestSupport
import Testing

@testable import Service

/// docs/operation.md, Settings: `max-answer-bytes`.
@Suite("answers that wait for their readers", .serialized)
struct AnswerRoomTests {
    private func answer(_ bytes: Int) -> Response {
        Response(status: 200, body: [UInt8](repeating: 0x61, count: bytes))
    }

    @Test("have their room for as long as somebody holds them; small ones need none")
    func room() {
        let room = AnswerRoom(limit: 200_000)
        #expect(room.admit(answer(16 << 10), of: 1).hold == nil)
        var held = [room.admit(answer(100_000), of: 1)]
        #expect(held[0].status == 200 && room.used == 100_000)
        let refused = room.admit(answer(150_000), of: 1)
        #expect(refused.status == 503 && refused.hold == nil)
        #expect(refused.fields.contains { "\($0.name)" == "Retry-After" })
        let large = room.admit(answer(300_000), of: 1)
        #expect(large.status == 503)
        #expect(!large.fields.contains { "\($0.name)" == "Retry-After" })
        #expect(String(decoding: large.body, as: UTF8.self).contains("\"report-too-large\""))
        held = []
        #expect(room.used == 0)
        #expect(room.admit(answer(100_000), of: 1).status == 200)
    }

    @Test("a token has half while another wants some, and an answer alone as much as there is")
    func shares() {
        let room = AnswerRoom(limit: 200_000)
        var held = [room.admit(answer(60_000), of: 1), room.admit(answer(20_000), of: 2)]
        #expect(room.admit(answer(60_000), of: 1).status == 503)
        held.append(room.admit(answer(70_000), of: 2))
        #expect(held.allSatisfy { $0.status == 200 } && room.used == 150_000)
        held = []
        #expect(room.admit(answer(190_000), of: 1).status == 200 && room.used == 0)
    }

    @Test("an export that is all in its first page has room there, a small one needs none")
    func export() throws {
        let site = try ReportTestSite(events: 100)
        let (core, port) = try site.serve(["max-answer-bytes": "256KiB"])
        let reader = ReportTestReader(port: port)
        var held = [core.answers.admit(answer(200 << 10), of: 0)]
        reader.ask(ReportTestSite.export, token: site.token)
        #expect(reader.status == 503 && reader.field("Retry-After") == "1")
        reader.forget()
        reader.ask("/report/export?app=shop&from=2026-04-30&to=2026-04-30", token: site.token)
        #expect(reader.status == 200)
        // Its last chunk may come after its head.
        #expect(reader.reads(to: "0\r\n\r\n"))
        held = []
        reader.forget()
        reader.ask(ReportTestSite.export, token: site.token)
        #expect(reader.status == 200)
        #expect(eventually { core.answers.used == 0 } && held.isEmpty)
    }

    @Test("are refused once others have all the room, and get it when these are taken or gone")
    func unread() throws {
        let site = try ReportTestSite(events: 20_000)
        let (core, port) = try site.serve(["max-answer-bytes": "64KiB"])
        // So many rows that its text has some 50 KB.
        let target = "/report/active?app=shop&from=2024-01-01&to=2025-12-31"
        let slow = ReportTestReader(port: port, receiveBuffer: 4096)
        let quick = ReportTestReader(port: port)
        quick.ask(target, token: site.token)
        #expect(quick.status == 200 && quick.reads(to: "]}"))
        #expect(quick.received.count > 32 << 10 && quick.received.count < 64 << 10)
        #expect(eventually { core.answers.used == 0 })
        // Kernels take much of an answer themselves: the test holds what a slow reader would.
        let held = core.answers.admit(answer(32 << 10), of: 0)
        quick.forget()
        quick.ask(target, token: site.token)
        #expect(quick.status == 503 && quick.field("Retry-After") == "1")
        #expect(quick.reads(to: "}"))
        withExtendedLifetime(held) {}
        quick.forget()
        quick.ask("/report/active?app=shop&from=2023-01-01&to=2025-12-31", token: site.token)
        #expect(quick.status == 503 && quick.field("Retry-After") == nil)
        #expect(String(decoding: quick.received, as: UTF8.self).contains("report-too-large"))
        slow.reset()
    }

    @Test("a report that holds more than there is gets 503 report-too-large, another is answered")
    func tooLarge() throws {
        let site = try ReportTestSite(events: 200_000)
        let (core, port) = try site.serve(["report-memory": "1MiB"])
        let reader = ReportTestReader(port: port)
        reader.ask(
            "/report/events?app=shop&from=2026-03-28&to=2026-04-30&name=p&by=k", token: site.token)
        #expect(reader.status == 503 && reader.field("Retry-After") == nil)
        let text = String(decoding: reader.received, as: UTF8.self)
        #expect(text.contains("\"report-too-large\"") && text.contains("Narrow the question"))
        reader.forget()
        reader.ask("/report/rejects?app=shop", token: site.token)
        #expect(reader.status == 200)
        #expect(eventually { core.reports.memory.held == 0 })
    }
}
