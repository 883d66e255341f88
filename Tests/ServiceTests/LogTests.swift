import Foundation
import Logging
import Testing

@testable import Service

/// docs/operation.md, Logs.
@Suite("log lines")
struct LogTests {
    /// 2026-11-21T08:30:00.123Z.
    private static let moment: Int64 = 1_795_249_800_123

    @Test("a line for people has the moment, the level, the message and what belongs to it")
    func text() {
        let form = LogLineForm(.text)
        #expect(
            form.line(.info, "answered", [("route", "/livez"), ("status", "200")], at: Self.moment)
                == "2026-11-21T08:30:00.123Z info answered route=/livez status=200\n")
    }

    @Test("a line for machines is one JSON object")
    func json() {
        #expect(
            LogLineForm(.json).line(.error, "a \"b\"\nc", [("n", "1")], at: Self.moment)
                == #"{"time":"2026-11-21T08:30:00.123Z","level":"error","message":"a \"b\"\nc","n":"1"}"#
                + "\n")
        let numbers = LogLineForm(.json).line(
            .info, "m", [("status", .stringConvertible(200)), ("new", .stringConvertible(true))],
            at: 0)
        #expect(numbers.hasSuffix(#""message":"m","status":200,"new":true}"# + "\n"))
    }

    @Test(
        "the journal gets the level as a priority, and no second moment",
        arguments: zip(
            Logging.Logger.Level.allCases, [7, 7, 6, 5, 4, 3, 2]))
    func journal(level: Logging.Logger.Level, priority: Int) {
        let text = LogLineForm(.text, isForJournal: true)
        #expect(text.line(level, "m", [("k", "v")], at: 0) == "<\(priority)>m k=v\n")
        let json = LogLineForm(.json, isForJournal: true)
        #expect(json.line(level, "m", [], at: 0).hasPrefix("<\(priority)>{\"time\":"))
    }

    @Test("nothing that is logged begins a line of its own or commands a terminal")
    func oneLine() {
        let line = LogLineForm(.text).line(
            .info, "a\nb\u{1B}[31m", [("k", "\u{2028}x\r\n<3>forged")], at: 0)
        #expect(line.utf8.filter { $0 < 0x20 }.count == 1 && line.hasSuffix("\n"))
        #expect(!line.contains("\u{2028}"))
        #expect(line.contains("a\\x0Ab\\x1B[31m"))
    }

    @Test("standard error is the journal only where the variable names that very stream")
    func stream() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        var status = stat()
        #expect(fstat(descriptor, &status) == 0)
        let own = "\(status.st_dev):\(status.st_ino)"
        #expect(JournalStream.isJournal(variable: own, descriptor: descriptor))
        #expect(!JournalStream.isJournal(variable: own + "0", descriptor: descriptor))
        #expect(!JournalStream.isJournal(variable: nil, descriptor: descriptor))
        #expect(!JournalStream.isJournal(variable: own, descriptor: -1))
    }

    @Test("a threshold can be changed while others ask it")
    func threshold() {
        let threshold = LogThreshold(.info)
        for level in Logging.Logger.Level.allCases {
            threshold.value = level
            #expect(threshold.value == level)
        }
    }

    @Test("a request's line tells what came of it and how long it took")
    func note() {
        let note = RequestNote(
            number: 1, route: .batches, app: "shop", profile: .jwe, began: 1_000_000)
        note.note(RequestNote.Counts(accepted: 3, rejected: 1))
        let fields = note.fields(status: 200, now: 3_500_999).map { "\($0.0)=\($0.1)" }
        #expect(
            fields == [
                "request=1", "route=/v1/apps/{app}/batches", "status=200", "duration_us=2500",
                "app=shop", "profile=jwe", "accepted=3", "rejected=1", "duplicate=false",
            ])
        let refused = RequestNote(number: 2, route: .none, app: nil, profile: nil, began: 0)
        refused.note(.notFound)
        #expect(
            refused.fields(status: 404, now: 0).map { "\($0.0)=\($0.1)" } == [
                "request=2", "route=none", "status=404", "duration_us=0", "code=not-found",
            ])
    }

    @Test("a minute's line tells what came in it; one without work has none")
    func traffic() {
        let meters = Meters(loops: 1)
        let nothing = TrafficTotals(meters, receivedBytes: 0)
        meters.loop(0).countRequest(.live, status: 200)
        #expect(TrafficTotals(meters, receivedBytes: 900).since(nothing) == nil)
        meters.writer.countBatch(.accepted, profile: .aes128gcm)
        meters.writer.countBatch(.duplicate, profile: .plain)
        meters.loop(0).countBatch(.dryRun, profile: .plain)
        meters.loop(0).countBatch(.refused(.undecodable), profile: nil)
        meters.loop(0).countBatch(.refused(.rateLimited), profile: .jwe)
        meters.writer.countBatch(.refused(.storageFull), profile: .legacy)
        meters.loop(0).countRequest(.report, status: 200)
        meters.loop(0).countRequest(.report, status: 404)
        let then = TrafficTotals(meters, receivedBytes: 1000)
        #expect(
            then.since(nothing)?.mapValues { $0.description } == [
                "accepted": "1", "duplicates": "1", "refused": "2", "failed": "1", "events": "0",
                "rejected_events": "0", "reports": "1", "received_bytes": "1000",
            ])
        #expect(then.since(then) == nil)
    }
}
