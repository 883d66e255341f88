import Events
import Ingest
import JSON
import TestSupport
import Testing

@Suite("What is stored of events")
struct StoredFormTests {
    private func blob(_ attributes: String) throws -> String? {
        let batch = try judge(BatchText(events: [event(#""a""#, attributes)]))
        #expect(batch.rejected == 0)
        return batch.blob(0)
    }

    @Test(
        "values are canonical",
        arguments: [
            (#""menu""#, #""menu""#), (#""""#, #""""#), (#""é語😀""#, #""é語😀""#),
            (#""\u0061\/\u00e9\ud83d\ude00""#, #""a/é😀""#),
            (#""\"\\\n\u000A\u001f\u007f""#, "\"\\\"\\\\\\n\\n\\u001f\u{7f}\""),
            ("1", "1"), ("-0", "0"), ("-7", "-7"), ("1.50", "1.5"), ("1.0", "1"), ("1e3", "1000"),
            ("1E-7", "1e-7"),
            ("1e21", "1e+21"), ("-0.0", "0"), ("9007199254740993.0", "9007199254740992"),
            ("true", "true"), ("false", "false"),
        ])
    func values(_ sent: String, _ stored: String) throws {
        #expect(try blob("{\"k\":\(sent)}") == "0,\(stored)")
        #expect(try blob("{ \"k\" : \(sent) , \"l\" : 1 }") == "0,\(stored),1,1")
    }

    @Test("an event without attributes, or with session.id alone, has none")
    func none() throws {
        #expect(try blob("{}") == nil)
        #expect(try blob(#"{"session.id":"s"}"#) == nil)
        #expect(try judge(BatchText(events: [event()])).blob(0) == nil)
    }

    @Test("session.id is not among the attributes, wherever it stands")
    func sessionID() throws {
        for attributes in [
            #"{"session.id":"s","a":1,"b":2}"#, #"{"a":1,"session.id":"s","b":2}"#,
            #"{"a":1,"b":2,"session.id":"s"}"#,
        ] {
            let batch = try judge(BatchText(events: [event(#""x""#, attributes)]))
            #expect(batch.blob(0) == "0,1,1,2")
            #expect(batch.keys == #"["a","b"]"#)
            #expect(batch.events[0].session == 0)
        }
    }

    @Test("keys, names and sessions are stored once, in order of use")
    func lists() throws {
        let batch = try judge(
            BatchText(events: [
                event(#""b""#, #"{"y":1,"x":2,"session.id":"s2"}"#),
                event(#""a""#, #"{"x":3,"z":4,"session.id":"s1"}"#),
                event(#""\u0062""#, #"{"\u007a":5,"session.id":"\u00732"}"#),
                event(#""a""#),
            ]))
        #expect(batch.names == ["b", "a"])
        #expect(batch.keys == #"["y","x","z"]"#)
        #expect(batch.sessions == #"["s2","s1"]"#)
        #expect(batch.events.map(\.name) == [0, 1, 0, 1])
        #expect(batch.events.map(\.session) == [0, 1, 0, -1])
        #expect((0..<4).map(batch.blob) == ["0,1,1,2", "1,3,2,4", "2,5", nil])
    }

    @Test("keys and sessions of any text are stored as JSON")
    func anyText() throws {
        let batch = try judge(
            BatchText(events: [
                event(#""a""#, #"{"\n\t":1,"\"":2,"\\":3,"é":4,"session.id":"\"s\""}"#)
            ]))
        #expect(batch.keys == #"["\n\t","\"","\\","é"]"#)
        #expect(batch.sessions == #"["\"s\""]"#)
    }

    @Test("what only rejected events use is not stored")
    func rejectedLeaveNothing() throws {
        let batch = try judge(
            BatchText(events: [
                event(#""gone""#, #"{"g1":1,"session.id":"g","bad":null}"#),
                event(#""kept""#, #"{"k1":"v","session.id":"s"}"#),
                event(#""gone.too""#, time: "1", #"{"g2":1,"k1":2,"session.id":"g"}"#),
                #"{"attributes":{"g3":1,"session.id":"g"},"name":"BAD","time":1}"#,
                event(#""screen.view""#, #"{"g4":"text","k2":1}"#),
                event(#""kept""#, #"{"k2":2,"k1":3,"g1":4,"session.id":"t"}"#),
            ]))
        #expect(batch.events.map(\.index) == [1, 5])
        #expect(batch.names == ["kept"])
        #expect(batch.sessions == #"["s","t"]"#)
        #expect(batch.keys == #"["k1","k2","g1"]"#)
        #expect(batch.blob(0) == #"0,"v""#)
        #expect(batch.blob(1) == "1,2,0,3,2,4")
        #expect(String(decoding: batch.text, as: UTF8.self) == #"0,"v"1,2,0,3,2,4"#)
    }

    @Test("160,000 different keys are told apart, in time")
    func manyKeys() throws {
        var number = 0
        let events = (0..<5000).map { _ in
            let members = (0..<32).map { _ in
                number += 1
                return "\"k\(number)\":\(number)"
            }
            return event(#""a""#, "{" + members.joined(separator: ",") + "}")
        }
        let text = BatchText(events: events).text
        var batch: JudgedBatch?
        let time = try threadTime { batch = try judge(text) }
        let judged = try #require(batch)
        #expect(judged.events.count == 5000)
        #expect(judged.blob(4999)?.hasSuffix(",159999,160000") == true)
        #expect(judged.keys?.hasSuffix(#","k160000"]"#) == true)
        // Quadratic would be minutes.
        #expect(time < .seconds(30))
    }

    @Test("an accepted batch carries what was judged")
    func accepted() throws {
        let judged = try judge(
            BatchText(events: [event(#""a""#, #"{"k":1}"#), "0"], ("sequence", "3")))
        let device = DeviceHash(high: 1, low: 2)
        let batch = judged.accepted(
            app: 5, device: device, isShared: true, batchID: "b", receivedAt: arrival,
            profile: .jwe,
            key: 9, bodyBytes: 100)
        #expect(batch.app == 5 && batch.device == device && batch.isShared && batch.batchID == "b")
        #expect(batch.receivedAt == arrival && batch.profile == .jwe && batch.key == 9)
        #expect(batch.sequence == 3 && batch.droppedEvents == 0 && batch.bodyBytes == 100)
        #expect(
            batch.rejected == 1 && batch.rejections.count == 1 && batch.rejectionCounts.count == 1)
        #expect(batch.names == ["a"] && batch.events == judged.events && batch.text == judged.text)
        #expect(batch.timeSpan == arrival - 5000...arrival - 5000)
    }
}
