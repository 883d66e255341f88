import Events
import Foundation
import Storage
import Testing

@testable import Service

@Suite("GET /report/devices/{hash}", .serialized)
struct DeviceRouteTests {
    private func text(_ reader: ReportTestReader) -> String {
        String(decoding: reader.received, as: UTF8.self)
    }

    @Test("the device's lines, streamed; 404 where there is none; 403 and 400 as everywhere")
    func answers() throws {
        let site = try ReportTestSite(events: 300)
        let (_, port) = try site.serve()
        let hash = try #require(
            DeviceHash(
                try {
                    let row = try site.store.reader().prepare("SELECT hash FROM device")
                    _ = try row.step()
                    return row.blob(0)
                }())
        ).hex
        let reader = ReportTestReader(port: port)
        func ask(_ target: String, token: String? = nil, method: String = "GET") -> Int {
            reader.forget()
            reader.ask(target, token: token ?? site.token, method: method)
            return reader.status
        }
        let path = "/report/devices/\(hash)"
        #expect(ask(path + "?app=shop") == 200 && reader.reads(to: "\r\n0\r\n\r\n"))
        #expect(text(reader).contains("application/x-ndjson"))
        #expect(reader.received.count(where: { $0 == UInt8(ascii: "\n") }) > 300)
        #expect(ask("/report/devices/\(hash.uppercased())?app=shop") == 200)
        #expect(reader.reads(to: "\r\n0\r\n\r\n"))
        for unknown in [String(repeating: "0", count: 32), "00ff", "nonsense"] {
            #expect(ask("/report/devices/\(unknown)?app=shop") == 404)
            #expect(text(reader).contains("\"unknown-device\""))
        }
        #expect(ask("/report/devices?app=shop") == 404)
        #expect(text(reader).contains("\"unknown-device\""))
        #expect(ask(path) == 400 && text(reader).contains("\"missing-parameter\""))
        #expect(
            ask(path + "?app=shop&os.name=iOS") == 400
                && text(reader).contains("\"unknown-parameter\""))
        #expect(ask(path + "?app=shop", token: "sj_none") == 401)
        #expect(ask(path + "?app=other") == 403)
    }

    @Test("where small groups are hidden it is for admin tokens, like export and filtered quality")
    func hidden() throws {
        let site = try ReportTestSite(events: 3)
        let (_, port) = try site.serve(["report-min-group": "2"])
        let admin = try site.store.registry.addToken(scope: .admin, app: "shop").text
        let zero = String(repeating: "0", count: 32)
        for (target, status) in [
            ("/report/devices/\(zero)?app=shop", 404), ("/report/export?app=shop", 200),
            ("/report/quality?app=shop&os.name=iOS", 200),
            ("/report/quality?app=shop&device.model.identifier=unknown", 200),
        ] {
            for (token, status) in [(site.token, 403), (admin, status)] {
                let reader = ReportTestReader(port: port)
                reader.ask(target, token: token)
                #expect(reader.status == status)
                guard status == 403 else { continue }
                #expect(reader.reads(to: "}") && text(reader).contains(#""forbidden""#))
                #expect(
                    text(reader).contains(
                        "report-min-group hides groups of fewer than 2: it is for admin tokens only."
                    ))
            }
        }
    }

    @Test("where small groups are hidden, report tokens may ask unfiltered quality and rejects")
    func unfiltered() throws {
        let site = try ReportTestSite(events: 3)
        let (_, port) = try site.serve(["report-min-group": "2"])
        for name in ["quality", "rejects"] {
            let reader = ReportTestReader(port: port)
            reader.ask("/report/\(name)?app=shop", token: site.token)
            #expect(reader.status == 200)
        }
    }

    @Test("the index ends with the threshold of small groups, and answers hide them")
    func threshold() throws {
        for (minGroup, active) in [("1", "\"active\":1,"), ("2", "\"active\":null,")] {
            let site = try ReportTestSite(events: 3)
            let (_, port) = try site.serve(["report-min-group": minGroup])
            let reader = ReportTestReader(port: port)
            reader.ask("/report", token: site.token)
            #expect(reader.status == 200 && reader.reads(to: ",\"min_group\":\(minGroup)}"))
            reader.forget()
            reader.ask(
                "/report/active?app=shop&from=2026-03-28&to=2026-03-28", token: site.token)
            #expect(reader.status == 200 && reader.reads(to: "}]}"))
            #expect(text(reader).contains(active))
        }
    }
}
