import Foundation
import Storage
import Testing

@testable import Service

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
}
