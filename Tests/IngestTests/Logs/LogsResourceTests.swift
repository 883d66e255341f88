import Events
import Testing

@testable import Ingest

/// spec: OpenTelemetry, The mapping: what resources become.
@Suite("a resource of log records")
struct LogsResourceTests {
    /// What a value becomes as a member.
    static let values: [(SentValue, String)] = [
        ("Pixel 9", "Pixel 9"), ("grüße \"😀\"\n\\", "grüße \"😀\"\n\\"), (true, "true"),
        (false, "false"), (0, "0"), (-5, "-5"), (.int(.max), "9223372036854775807"),
        (.int(.min), "-9223372036854775808"), (.int(9_007_199_254_740_992), "9007199254740992"),
        (1.5, "1.5"), (1.0, "1"), (-0.0, "0"), (1e21, "1e+21"),
        (.double(.leastNonzeroMagnitude), "5e-324"),
        (.double(.nan), "NaN"), (.double(.infinity), "Infinity"),
        (.double(-.infinity), "-Infinity"), (.bytes([0xfb, 0xff, 0]), "+/8A"),
        (.bytes([1]), "AQ=="), ([], "[]"), ([:], "{}"), (["a", 1, nil], #"["a",1,null]"#),
        (["b": 1, "a": ["x"]], #"{"a":["x"],"b":1}"#),
        // Not given.
        ("", ""), (.empty, ""), (.absent, ""), (.bytes([]), ""),
    ]

    @Test("gives each listed member whatever value it has, as text", arguments: Resource.members)
    func members(name: String) throws {
        let index = try #require(Resource.members.firstIndex(of: name))
        for (value, expected) in Self.values {
            let resource = try Logs.resource(SentAttributes(name, value))
            var texts = Array(repeating: "", count: Resource.members.count)
            texts[index] = expected
            #expect(resource?.texts == texts, "\(value)")
        }
    }

    @Test("gives all eight at once, whatever their order")
    func all() throws {
        let pairs = Resource.members.map { (key: SentText($0), value: SentValue.text("v " + $0)) }
        for order in [pairs, pairs.reversed()] {
            let resource = try Logs.resource(SentAttributes(order))
            #expect(resource?.texts == Resource.members.map { "v " + $0 })
        }
    }

    @Test(
        "has members cut to 128 bytes, between scalars",
        arguments: [
            (String(repeating: "a", count: 128), 128), (String(repeating: "a", count: 129), 128),
            (String(repeating: "é", count: 64), 128), (String(repeating: "é", count: 65), 128),
            ("a" + String(repeating: "é", count: 64), 127),
            ("ab" + String(repeating: "語", count: 50), 128),
            ("abc" + String(repeating: "語", count: 50), 126),
            (String(repeating: "😀", count: 40), 128),
            ("abc" + String(repeating: "😀", count: 40), 127),
            (String(repeating: "e\u{301}", count: 50), 127),
        ])
    func cut(text: String, count: Int) throws {
        let model = try #require(try Logs.resource(["device.model.identifier": .text(text)]))
        #expect(model.deviceModel.utf8.count == count)
        #expect(text.utf8.starts(with: model.deviceModel.utf8))
        // What is made of lists and bytes is cut as well.
        let made = try #require(
            try Logs.resource(["os.name": [.text(text)], "os.version": .bytes(Array(text.utf8))]))
        #expect(made.osName.utf8.count >= 125 && made.osName.utf8.count <= 128)
        #expect(("[\"" + text).utf8.starts(with: made.osName.utf8))
        #expect(made.osVersion.utf8.count == 128)
    }

    @Test("ignores all other attributes, whatever they hold")
    func others() throws {
        let sent: SentAttributes = [
            "service.name": "other", "os.type": "linux", "OS.NAME": "x", "os.name ": "x", "": "x",
            "os": "x", "service.instance.id": ["a": [1]], "session.id": "s", "telemetry.sdk": "y",
            SentText(String(repeating: "k", count: 200)): .text(
                String(repeating: "v", count: 2000)),
        ]
        #expect(try Logs.resource(sent)?.texts == Array(repeating: "", count: 8))
        #expect(try Logs.resource(sent) == Resource())
        let many = (0..<500).map { (key: SentText("k\($0)"), value: SentValue.int(Int64($0))) }
        #expect(try Logs.resource(["os.name": "iOS"] + SentAttributes(many))?.osName == "iOS")
    }

    @Test("takes the last of equal keys, among few and among many")
    func last() throws {
        let padding = SentAttributes((0..<40).map { (key: SentText("k\($0)"), value: true) })
        for more in [[:], padding] {
            let twice: SentAttributes = ["os.name": "first"] + more + ["os.name": "last"]
            #expect(try Logs.resource(twice)?.osName == "last")
            let gone: SentAttributes = ["os.name": "first"] + more + ["os.name": .empty]
            #expect(try Logs.resource(gone)?.osName == "")
        }
    }

    /// Resources, and the raw id that they give; nil: none.
    static let identities: [(SentAttributes, String?)] = [
        (["app.installation.id": "i"], "i"), (["device.id": "d"], "d"),
        (["app.installation.id": "i", "device.id": "d"], "i"),
        (["device.id": "d", "app.installation.id": "i"], "i"),
        (["app.installation.id": .empty, "device.id": "d"], "d"),
        (["app.installation.id": .absent, "device.id": "d"], "d"),
        (["app.installation.id": "i", "device.id": ""], "i"),
        (["app.installation.id": "i", "device.id": 5], "i"),
        (["app.installation.id": "old", "app.installation.id": "i"], "i"),
        (["app.installation.id": "old", "app.installation.id": nil, "device.id": "d"], "d"),
        (["device.id": "grüße 😀"], "grüße 😀"),
        (
            ["device.id": .text(String(repeating: "x", count: 256))],
            String(repeating: "x", count: 256)
        ),
        // The first alone counts where it has a value.
        (["app.installation.id": "", "device.id": "d"], nil),
        (["app.installation.id": 5, "device.id": "d"], nil),
        (
            ["app.installation.id": .text(String(repeating: "x", count: 257)), "device.id": "d"],
            nil
        ),
        (["app.installation.id": .bytes([0x61]), "device.id": "d"], nil),
        (["app.installation.id": ["i"], "device.id": "d"], nil),
        (["app.installation.id": true], nil), (["app.installation.id": 1.5], nil),
        (["device.id": ["id": "d"]], nil), (["device.id": ""], nil), (["device.id": .empty], nil),
        (["device.id": .text(String(repeating: "é", count: 129))], nil), ([:], nil),
        (["device.ID": "d", "app.installation.id ": "i"], nil),
    ]

    @Test("has the device that its identity names", arguments: identities.indices)
    func identity(case index: Int) throws {
        let (attributes, raw) = Self.identities[index]
        let sent = SentLogs([SentResource(attributes, SentRecord(), SentRecord("b"))])
        let logs = try Logs.accept(sent)
        guard let raw else {
            #expect(logs.batches.isEmpty && logs.device == nil && logs.refusedResources == 1)
            #expect(logs.rejected == ["invalid-device-id×2@0/0/0"])
            return
        }
        let expected = DeviceIdentity(pepper: Array("key".utf8))
            .hash(of: Array(raw.utf8).span, app: "shop")
        #expect(logs.batches.map(\.batch.device) == [expected] && logs.device == expected)
        #expect(logs.refusedResources == 0 && logs.rejections.count == 0)
        #expect(logs.events.count == 2)
    }

    @Test("none at all is one without a device")
    func none() throws {
        let logs = try Logs.accept(SentLogs([SentResource(nil, SentRecord())]))
        #expect(logs.rejected == ["invalid-device-id×1@0/0/0"] && logs.refusedResources == 1)
    }

    @Test("an identity that many share marks the batch")
    func shared() throws {
        for (id, isShared) in [("unknown", true), ("0000-00", true), ("d-1", false)] {
            let sent = SentLogs([SentResource(["device.id": .text(id)], SentRecord())])
            let logs = try Logs.accept(sent)
            #expect(logs.batches.first?.batch.isShared == isShared && logs.isShared == isShared)
        }
        // SHA-1 of "Pixel 9".
        let made: SentAttributes = [
            "device.id": "a9bd7f17624b4c3a06fe822b696c076f26e25003",
            "device.model.identifier": "Pixel 9",
        ]
        #expect(try Logs.accept(SentLogs([SentResource(made, SentRecord())])).isShared)
    }

    @Test("is of one device only where all records are")
    func devices() throws {
        let (one, two): (SentAttributes, SentAttributes) = (["device.id": "1"], ["device.id": "2"])
        func device(_ resources: SentResource...) throws -> DeviceHash? {
            try Logs.accept(SentLogs(resources)).device
        }
        let known = try #require(try device(SentResource(one, SentRecord())))
        let newer = one + ["os.name": "x"]
        #expect(
            try device(SentResource(one, SentRecord()), SentResource(newer, SentRecord("b")))
                == known)
        // Resources without records do not count.
        #expect(
            try device(SentResource(two, scopes: [[]]), SentResource(one, SentRecord())) == known)
        #expect(
            try device(SentResource(one, SentRecord()), SentResource([:], scopes: [])) == known)
        #expect(
            try device(SentResource(one, SentRecord()), SentResource(two, SentRecord())) == nil)
        #expect(
            try device(SentResource(one, SentRecord()), SentResource([:], SentRecord())) == nil)
        #expect(try device() == nil)
    }
}
