import Testing

@testable import Core

@Suite("Events, lines and sessions")
struct EventTests {
    @Test(
        "names",
        arguments: [
            ("a", nil), ("order.placed", nil), ("a_1.b2", nil),
            (String(repeating: "a", count: 64), nil),
            ("", .invalidName), ("Order", .invalidName), ("order..placed", .invalidName),
            (".a", .invalidName), ("a.", .invalidName), ("1a", .invalidName), ("a-b", .invalidName),
            (String(repeating: "a", count: 65), .invalidName), ("session.start", .reservedName),
            ("screen.view", .reservedName), ("webview.event", .reservedName),
        ] as [(String, EventRule?)])
    func names(_ name: String, _ wanted: EventRule?) {
        #expect(EventRule.broken(name: name, attributes: [:], isOwn: true) == wanted)
    }

    @Test("attributes at their limits, and one beyond")
    func attributes() {
        func isGood(_ attributes: [String: Value]) -> Bool {
            EventRule.broken(name: "a", attributes: attributes, isOwn: true) == nil
        }
        let many = Dictionary(uniqueKeysWithValues: (0..<31).map { ("k\($0)", Value.integer(1)) })
        #expect(isGood(many) && !isGood(many.merging(["x": 1]) { $1 }))
        #expect(isGood(many.merging(["session.id": "mine"]) { $1 }))
        for (good, bad) in [
            (
                Value.string(String(repeating: "x", count: 1024)),
                Value.string(String(repeating: "x", count: 1025))
            ),
            (9_007_199_254_740_991, 9_007_199_254_740_992), (1.5, .double(.infinity)),
            ("ab", "a\0b"),
        ] {
            #expect(isGood(["k": good]) && !isGood(["k": bad]))
        }
        #expect(!isGood(["": 1]) && !isGood([String(repeating: "k", count: 65): 1]))
    }

    @Test("an event says what it was given, and the client's own session")
    func writing() {
        var out: [UInt8] = []
        Event.append(
            name: "a", time: 5, attributes: ["session.id": "mine", "v": 1e20], session: "s",
            to: &out)
        let text = String(decoding: out, as: UTF8.self)
        #expect(
            text
                == #"{"name":"a","time":5,"attributes":{"session.id":"s","v":100000000000000000000.0}}"#
        )
    }

    @Test("no byte of a line can change unseen, and none without its end is read")
    func lines() {
        var whole: [UInt8] = []
        Line.append(Array("{\"name\":\"a\"}".utf8), isEvent: true, to: &whole)
        #expect(Line.read(whole, from: 0).map(\.kind) == [.event])
        for index in whole.indices.dropLast() {
            #expect(Line.read(Array(whole[..<index]), from: 0).isEmpty)
            for bit in 0..<8 {
                var damaged = whole
                damaged[index] ^= 1 << UInt8(bit)
                #expect(Line.read(damaged, from: 0).allSatisfy { $0.kind == .damaged })
            }
        }
    }

    @Test("sessions begin, go on and end as the life cycle says")
    func sessions() {
        var sessions = Sessions(timeout: 100)
        #expect(sessions.background(at: 0) == nil && sessions.current == nil)
        #expect(sessions.foreground(at: 1, newID: "a") == .init(name: "session.start", id: "a"))
        #expect(sessions.foreground(at: 2, newID: "b") == nil && sessions.current == "a")
        #expect(sessions.background(at: 3) == .init(name: "session.end", id: "a"))
        #expect(sessions.background(at: 4) == nil && sessions.current == nil)
        #expect(sessions.foreground(at: 102, newID: "b") == .init(name: "session.resume", id: "a"))
        #expect(sessions.background(at: 103) == .init(name: "session.end", id: "a"))
        #expect(sessions.foreground(at: 203, newID: "b") == .init(name: "session.start", id: "b"))
    }

    @Test("another device has no session of the old one's, open or to be resumed")
    func forgotten() {
        var sessions = Sessions(timeout: 100)
        _ = sessions.foreground(at: 1, newID: "a")
        sessions.forget(newID: "b")
        #expect(sessions.current == "b")
        #expect(sessions.background(at: 2) == .init(name: "session.end", id: "b"))
        sessions.forget(newID: "c")
        #expect(sessions.foreground(at: 3, newID: "d") == .init(name: "session.start", id: "d"))
    }

    @Test("a refused call's line says which it was, as far as it is fit for a log")
    func refusals() {
        let rule = EventRule.invalidAttribute
        #expect(
            rule.line(name: "order.placed", attributes: ["a": .double(.nan)])
                == "a call of order.placed is refused: invalid-attribute")
        let many = Dictionary(uniqueKeysWithValues: (0..<32).map { ("k\($0)", Value($0)) })
        #expect(rule.line(name: "a", attributes: many).hasSuffix(": 32 attributes, at most 31"))
        #expect(
            EventRule.invalidName.line(name: "x\nverdict y", attributes: [:])
                == "a call is refused: invalid-name")
    }

    @Test("a page says 50 things at once, and then one a second")
    func limit() {
        var limit = BridgeLimit()
        let atOnce = (0..<60).filter { _ in limit.admit(at: 0) }.count
        let later = [999, 1000, 1000].map { limit.admit(at: $0) }
        #expect(atOnce == 50 && later == [false, true, false])
    }

    @Test("ids are random UUIDs")
    func ids() {
        #expect(RandomID.text(.max, .max) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(RandomID.text(0, 0) == "00000000-0000-4000-8000-000000000000")
    }
}
