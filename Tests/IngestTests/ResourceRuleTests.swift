import Events
import Ingest
import Testing

@Suite("Rules of the resource")
struct ResourceRuleTests {
    private func rule(_ resource: String) -> BatchRule? {
        broken(BatchText(("resource", resource)).text)
    }

    private func text(_ count: Int, of piece: String = "d") -> String {
        "\"" + String(repeating: piece, count: count) + "\""
    }

    @Test("the device id has 1 to 256 bytes")
    func deviceID() {
        for good in [
            text(1), text(256), text(128, of: "é"), text(64, of: "😀"), text(128, of: #"\u00e9"#),
            #""\u0001\u007f""#,
        ] {
            #expect(rule("{\"device.id\":\(good)}") == nil)
        }
        let bad = [
            #""""#, "null", "17", #"["a"]"#, #"{"a":1}"#, "true", text(257), text(65, of: "😀"),
            text(129, of: #"\u00e9"#), text(2000),
        ]
        for bad in bad { #expect(rule("{\"device.id\":\(bad)}") == .deviceID) }
        #expect(rule("{}") == .deviceID)
    }

    @Test("where app.installation.id is there it alone counts")
    func installationID() throws {
        let both = #"{"device.id":"old","app.installation.id":"new"}"#
        #expect(try judge(BatchText(("resource", both))).rawDeviceID == Array("new".utf8))
        let turned = #"{"app.installation.id":"new","device.id":"old"}"#
        #expect(try judge(BatchText(("resource", turned))).rawDeviceID == Array("new".utf8))
        let broken = #"{"app.installation.id":"new","device.id":17}"#
        #expect(try judge(BatchText(("resource", broken))).rawDeviceID == Array("new".utf8))
        for bad in [#""""#, "null", "17", "{}", text(257)] {
            #expect(rule("{\"app.installation.id\":\(bad),\"device.id\":\"d\"}") == .deviceID)
            #expect(rule("{\"device.id\":\"d\",\"app.installation.id\":\(bad)}") == .deviceID)
        }
    }

    @Test(
        "each listed member has at most 128 bytes; empty is not given", arguments: Resource.members)
    func listed(_ member: String) throws {
        func resource(_ json: String) -> String { "{\"device.id\":\"d\",\"\(member)\":\(json)}" }
        for good in [text(128), text(64, of: "é"), text(42, of: "語"), text(128, of: #"\u0041"#)] {
            #expect(rule(resource(good)) == nil)
        }
        for bad in [
            text(129), text(64, of: "é").dropLast() + "v\"", text(43, of: "語"), "18.1", "null",
            "true", "[]", "{}",
        ] {
            #expect(rule(resource(String(bad))) == .resourceMember)
        }
        let batch = try judge(BatchText(("resource", resource(#""""#))))
        #expect(batch.resource == Resource())
        let place = try #require(Resource.members.firstIndex(of: member))
        let any = try judge(BatchText(("resource", resource(#""=1+1,\"é😀\"\n'""#))))
        #expect(any.resource[place] == "=1+1,\"é😀\"\n'")
    }

    @Test("other members are ignored")
    func others() {
        let json =
            #"{"device.id":"d","x":null,"host.name":"h","nested":{"a":[]},"OS.NAME":7,"#
            + #""device.id ":1}"#
        #expect(rule(json) == nil)
    }

    @Test("a bad device id comes before a bad member")
    func order() {
        #expect(rule(#"{"os.name":1}"#) == .deviceID)
        #expect(rule(#"{"os.name":1,"device.id":"d"}"#) == .resourceMember)
    }
}
