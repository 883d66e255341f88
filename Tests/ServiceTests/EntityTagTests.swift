import Events
import Foundation
import Query
import Reports
import Storage
import Testing

@testable import Database
@testable import Service
@testable import Upkeep

@Suite("Entity tags", .serialized)
struct EntityTagTests {
    private let tag = EntityTag(version: [1, 2, 3], form: "application/json")

    @Test("a tag is of version and form, and an entity tag")
    func made() {
        #expect(tag == EntityTag(version: [1, 2, 3], form: "application/json"))
        #expect(tag != EntityTag(version: [1, 2, 4], form: "application/json"))
        #expect(tag != EntityTag(version: [1, 2, 3], form: "text/csv"))
        #expect(tag.text.wholeMatch(of: /"[0-9a-f]{32}"/) != nil)
    }

    @Test("If-None-Match names it in a list, weakly or by a star")
    func named() {
        let own = tag.text
        for field in [
            own, "*", " * ", "W/" + own, "\"x\", " + own, "\"x\" , W/\"y\"," + own + " , \"z\"",
            "\"a,b\"," + own, ",, " + own, "\t" + own,
        ] {
            #expect(tag.isNamed(by: [field]), "\(field)")
            #expect(tag.isNamed(by: ["\"x\"", field]))
        }
        for field in [
            "", "\"x\"", String(own.dropFirst()), String(own.dropLast()), "w/" + own, "*, \"x\"",
            "\"x " + own, own.uppercased(), "x, " + own, "W/", "\"\"", "'" + own,
        ] {
            #expect(!tag.isNamed(by: [field]), "\(field)")
        }
        #expect(!tag.isNamed(by: []))
    }

    @Test("an answer that its asker has is 304 with the tag and no body, until the data change")
    func conditional() throws {
        let site = try ReportTestSite(events: 10)
        let (_, port) = try site.serve()
        let reader = ReportTestReader(port: port)
        func ask(
            _ target: String, _ method: String = "GET", _ fields: [String] = []
        ) -> (status: Int, tag: String?) {
            reader.forget()
            reader.ask(target, token: site.token, method: method, fields: fields)
            let status = reader.status
            if status == 304 { #expect(reader.reads(to: "\r\n\r\n")) }
            #expect(reader.field("Vary") == "Accept")
            return (status, reader.field("ETag"))
        }
        for target in [
            "/report/events?app=shop&from=2026-03-28&to=2026-03-28", ReportTestSite.export,
        ] {
            let first = ask(target, "HEAD")
            let tag = try #require(first.tag)
            #expect(first.status == 200)
            for method in ["GET", "HEAD"] {
                let again = ask(target, method, ["If-None-Match: \"x\"", "If-None-Match: " + tag])
                #expect(again == (304, tag))
            }
            #expect(ask(target, "HEAD", ["If-None-Match: \"x\""]) == (200, tag))
        }
        let target = "/report/events?app=shop&from=2026-03-28&to=2026-03-28"
        let json = try #require(ask(target, "HEAD").tag)
        let csv = ask(target, "HEAD", ["Accept: text/csv", "If-None-Match: " + json])
        #expect(csv.status == 200 && csv.tag != json)
        #expect(ask(target + "&format=csv", "HEAD").tag == csv.tag)

        let writer = try Connection(path: site.store.directory.database, mode: .write)
        try writer.execute(
            """
            INSERT INTO batch(app, device, resource, batch_id, received_at, clock_shift, profile,
                dropped_events, body_bytes, accepted, rejected)
            VALUES (\(site.app.id), 1, 1, 'late', 2, 0, 1, 0, 0, 0, 0)
            """)
        let changed = ask(target, "HEAD", ["If-None-Match: " + json])
        #expect(changed.status == 200 && changed.tag != json)
    }

    @Test("one device's record as a whole and over the default range have different tags")
    func deviceRange() throws {
        let site = try ReportTestSite(events: 1)
        func canonical(_ more: [(String, String)]) throws -> [UInt8] {
            try Question(
                ReportDefinition.named("devices"), ParameterList([("app", "shop")] + more),
                app: QueryApp(site.app), now: ReportTestSite.start, settings: ReportSettings()
            ).canonical
        }
        let whole = try canonical([])
        let range = try canonical([("from", "2026-02-27"), ("to", "2026-03-28")])
        #expect(whole != range)
    }

    @Test(
        "what a prune or an erasure takes away changes the tag, slice by slice, and no other app's")
    func removals() throws {
        let site = try ReportTestSite(events: 10)
        let other = try site.store.registry.addApp("other")
        func version(_ app: App) throws -> [UInt8] {
            let question = try Question(
                ReportDefinition.named("events"), ParameterList([("app", app.name)]),
                app: QueryApp(app), now: ReportTestSite.start, settings: ReportSettings())
            return try SegmentQueries(site.store.reader()).version(
                question.scope, of: question.version, from: question.definition.sources)
        }
        let others = try version(other)
        var seen = [try version(site.app)]
        for limit in [3, 6] as [Int64] {
            #expect(try site.store.prune(before: ReportTestSite.start + limit * 1000).events == 3)
            seen.append(try version(site.app))
        }
        // Nothing new to take away: only the limit is another fact.
        let row = try site.store.reader().prepare("SELECT hash FROM device")
        #expect(try row.step())
        let device = try #require(DeviceHash(row.blob(0)))
        row.reset()
        #expect(try site.store.erase(device, of: site.app)?.events == 4)
        seen.append(try version(site.app))
        #expect(Set(seen).count == 4)
        #expect(try version(other) == others)
    }
}
