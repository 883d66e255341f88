import Dispatch
import Foundation
import Logging
import Storage
import TestSupport
import Testing

@testable import Database
@testable import Service

/// Reports over a socket: limits, failures before the head, readers that go or do not read.
@Suite("the way of a report", .serialized)
struct ReportRouteTests {
    private static let lastChunk = "\r\n0\r\n\r\n"

    @Test("an export is streamed whole, an empty one has an empty body, HEAD has the head alone")
    func whole() throws {
        let site = try ReportTestSite(events: 2000)
        let (core, port) = try site.serve()
        let reader = ReportTestReader(port: port)
        reader.ask(ReportTestSite.export, token: site.token)
        #expect(reader.status == 200 && reader.reads(to: Self.lastChunk))
        #expect(reader.received.count(where: { $0 == UInt8(ascii: "{") }) == 3 * 2000)
        reader.forget()
        reader.ask(
            "/report/export?app=shop&from=2020-01-01&to=2020-01-02", token: site.token)
        #expect(reader.status == 200 && reader.reads(to: "\r\n\r\n0\r\n\r\n"))
        for _ in 0..<6 {
            reader.forget()
            reader.ask(ReportTestSite.export, token: site.token, method: "HEAD")
            #expect(reader.status == 200 && reader.reads(to: "\r\n\r\n"))
        }
        #expect(eventually { core.reports.load.streams == 0 })
        let places = (0..<4).map { _ in core.reports.takeStreamSlot() }
        #expect(places.allSatisfy { $0 != nil })
        reader.forget()
        reader.ask(ReportTestSite.export, token: site.token)
        #expect(reader.status == 503)
        // Held until here, also where it is optimized.
        withExtendedLifetime(places) {}
    }

    @Test("four exports may wait for their readers, the fifth is 503, other reports are answered")
    func streams() throws {
        let site = try ReportTestSite(events: 20_000)
        let second = try site.store.registry.addToken(scope: .report, app: "shop").text
        let third = try site.store.registry.addToken(scope: .report, app: "shop").text
        let (core, port) = try site.serve()
        var readers = (0..<4).map { _ in ReportTestReader(port: port, receiveBuffer: 4096) }
        for (place, reader) in readers.enumerated() {
            reader.ask(ReportTestSite.export, token: place % 2 == 0 ? site.token : second)
            #expect(reader.status == 200)
        }
        // Once they have what their sockets hold, and take no more: one that is computed leaves room.
        var other = ReportTestReader(port: port)
        #expect(
            eventually {
                other = ReportTestReader(port: port)
                other.ask(ReportTestSite.export, token: third)
                if other.status == 503 { return true }
                other.reset()
                return false
            })
        #expect(String(decoding: other.received, as: UTF8.self).contains("\"overloaded\""))
        other.forget()
        other.ask("/report/active?app=shop", token: site.token)
        #expect(other.status == 200)
        readers.removeLast().reset()
        #expect(eventually { core.reports.load.streams == 3 })
        let next = ReportTestReader(port: port)
        next.ask(ReportTestSite.export, token: third)
        #expect(next.status == 200 && next.reads(to: Self.lastChunk))
        #expect(next.received.count > 20_000 * 1000)
    }

    @Test("two exports of one token may wait for their readers, another token's are answered")
    func streamsOfOne() throws {
        let site = try ReportTestSite(events: 20_000)
        let other = try site.store.registry.addToken(scope: .report, app: "shop").text
        let (_, port) = try site.serve()
        let readers = (0..<2).map { _ in ReportTestReader(port: port, receiveBuffer: 4096) }
        for reader in readers {
            reader.ask(ReportTestSite.export, token: site.token)
            #expect(reader.status == 200)
        }
        #expect(
            eventually {
                let third = ReportTestReader(port: port)
                third.ask(ReportTestSite.export, token: site.token)
                if third.status == 503 { return true }
                third.reset()
                return false
            })
        let next = ReportTestReader(port: port)
        next.ask(ReportTestSite.export, token: other)
        #expect(next.status == 200 && next.reads(to: Self.lastChunk))
        withExtendedLifetime(readers) {}
    }

    @Test(
        "a first page that takes too long is 503 report-timeout",
        arguments: [("GET", "\"report-timeout\""), ("HEAD", "Retry-After: 10")])
    func timeout(method: String, told: String) throws {
        let site = try ReportTestSite(events: 200_000, gap: 1)
        let (_, port) = try site.serve(["report-timeout": "10ms"])
        let reader = ReportTestReader(port: port)
        // Warm: the connection and its token are known.
        reader.ask("/report", token: site.token)
        #expect(reader.status == 200)
        reader.forget()
        // All of them are in the first hour, and so have to be sorted before the first line is known.
        reader.ask(ReportTestSite.export, token: site.token, method: method)
        #expect(reader.status == 503)
        #expect(String(decoding: reader.received, as: UTF8.self).contains(told))
    }

    @Test("a first page that fails is 500")
    func failure() throws {
        let site = try ReportTestSite(events: 10)
        let writer = try Connection(path: site.store.directory.database, mode: .write)
        try writer.execute("UPDATE batch SET attribute_keys = 'none'")
        let (core, port) = try site.serve()
        let reader = ReportTestReader(port: port)
        reader.ask(ReportTestSite.export, token: site.token)
        #expect(reader.status == 500)
        #expect(String(decoding: reader.received, as: UTF8.self).contains("\"internal-error\""))
        let places = (0..<4).map { _ in core.reports.takeStreamSlot() }
        #expect(places.allSatisfy { $0 != nil })
    }

    @Test("the index lists the apps that a token may ask about, with a tag of what it says")
    func index() throws {
        let site = try ReportTestSite()
        let registry = site.store.registry
        let all = try registry.addToken(scope: .report, app: nil).text
        let (_, port) = try site.serve()
        let reader = ReportTestReader(port: port)
        func ask(_ token: String, _ tag: String? = nil, method: String = "GET") -> Int {
            reader.forget()
            reader.ask(
                "/report", token: token, method: method,
                fields: tag.map { ["If-None-Match: \($0)"] } ?? [])
            return reader.status
        }
        func apps(_ token: String) throws -> String {
            #expect(ask(token) == 200 && reader.reads(to: "}"))
            let parts = reader.body.split(separator: "\"apps\":", maxSplits: 1)
            return String(try #require(parts.last))
        }
        let shop =
            #"{"app":"shop","name":"shop","time_zone":"UTC","session_timeout_s":1800}"#
        #expect(try apps(all) == #"[\#(shop)],"min_group":1}"#)
        let first = try #require(reader.field("ETag"))
        #expect(first.hasPrefix("\"") && reader.field("Vary") == "Accept")
        // As long as there is one app a token of it is told the same, and not by the tag of all.
        #expect(try apps(site.token) == #"[\#(shop)],"min_group":1}"#)
        let own = try #require(reader.field("ETag"))
        #expect(own != first && ask(site.token, first) == 200 && ask(site.token, own) == 304)

        _ = try registry.addApp("Shop", AppChange(title: "Laden", sessionTimeout: 45_000))
        let other =
            #"{"app":"Shop","name":"Laden","time_zone":"UTC","session_timeout_s":45}"#
        #expect(ask(all, first) == 200 && ask(site.token, own) == 304)
        #expect(try apps(all) == #"[\#(other),\#(shop)],"min_group":1}"#)
        let second = try #require(reader.field("ETag"))
        #expect(try apps(site.token) == #"[\#(shop)],"min_group":1}"#)
        #expect(ask(all, "\"x\", W/\(second)") == 304 && reader.field("ETag") == second)
        #expect(!reader.waits(100) && reader.body.isEmpty)
        _ = try registry.setApp("Shop", AppChange(title: "Geschäft"))
        #expect(ask(all, second) == 200 && ask(site.token, own) == 304)
        #expect(try apps(all).contains(#""name":"Geschäft""#))
        let third = reader.field("ETag")
        #expect(ask(all, method: "HEAD") == 200 && reader.field("ETag") == third)
        #expect(!reader.waits(100) && reader.body.isEmpty)
    }

    @Test("where all places are taken, only what waits for its reader is 503")
    func noPlace() throws {
        let site = try ReportTestSite(events: 2000)
        let (core, port) = try site.serve()
        let places = (0..<4).map { _ in core.reports.takeStreamSlot() }
        let reader = ReportTestReader(port: port)
        func ask(_ target: String, method: String = "GET", fields: [String] = []) -> Int {
            reader.forget()
            reader.ask(target, token: site.token, method: method, fields: fields)
            return reader.status
        }
        #expect(ask(ReportTestSite.export) == 503)
        #expect(ask("/report/export?app=shop&from=2020-01-01&to=2020-01-02") == 200)
        #expect(reader.reads(to: "\r\n\r\n0\r\n\r\n"))
        #expect(ask(ReportTestSite.export, method: "HEAD") == 200)
        let tag = try #require(reader.field("ETag"))
        #expect(ask(ReportTestSite.export, fields: ["If-None-Match: \(tag)"]) == 304)
        withExtendedLifetime(places) { #expect(core.reports.load.streams == 4) }
    }

    @Test("why an answer was broken off is told in the log")
    func brokenOff() throws {
        let site = try ReportTestSite(events: 20_000)
        let logged = LoggedLines()
        let (core, port) = try site.serve(logger: Logger(label: "test") { _ in logged.handler })
        let reader = ReportTestReader(port: port, receiveBuffer: 4096)
        reader.ask(ReportTestSite.export, token: site.token)
        #expect(reader.status == 200)
        #expect(core.reports.close())
        #expect(!reader.reads(to: Self.lastChunk))
        let told = logged.lines.filter { $0.hasPrefix("an answer of export was broken off: ") }
        #expect(told.map { $0.hasSuffix("the server stops") } == [true])
        ReportFailure.timeout.note(ofStream: "export", core.logger)
        #expect(
            logged.lines.last?.hasSuffix("a page of it computed longer than report-timeout") == true
        )
    }

    @Test("clients that go away make room for others, whether theirs computes or waits")
    func gone() throws {
        let site = try ReportTestSite(events: 10)
        let (core, port) = try site.serve()
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<4 {
            _ = core.reports.submit { _, _ in
                gate.wait()
                return {}
            } failed: { _ in
            }
        }
        let targets = ["/report/active?app=shop", ReportTestSite.export]
        let readers = (0..<64).map { place in
            let reader = ReportTestReader(port: port)
            reader.ask(targets[place % 2], token: site.token)
            return reader
        }
        #expect(eventually { core.reports.load.waiting == 64 })
        for reader in readers { reader.reset() }
        #expect(eventually { core.reports.load.waiting == 0 })
        let last = ReportTestReader(port: port)
        last.ask(targets[0], token: site.token)
        for _ in 0..<4 { gate.signal() }
        #expect(last.status == 200)
        #expect(core.reports.close())
    }

    @Test("a client that goes away stops its report")
    func stops() throws {
        let site = try ReportTestSite(events: 200_000, gap: 1)
        let (core, port) = try site.serve()
        func ask(_ method: String) -> [ReportTestReader] {
            (0..<4).map { _ in
                let reader = ReportTestReader(port: port)
                reader.ask(ReportTestSite.export, token: site.token, method: method)
                return reader
            }
        }
        let whole = ContinuousClock().measure {
            for patient in ask("HEAD") { #expect(patient.status == 200) }
        }
        let readers = ask("GET")
        #expect(eventually { core.reports.load.running == 4 })
        let begin = ContinuousClock.now
        for reader in readers { reader.reset() }
        #expect(eventually { core.reports.load.running == 0 })
        #expect(ContinuousClock.now - begin < whole)
        #expect(eventually { core.reports.load.streams == 0 })
    }
}
