import Sealing
import Testing

@testable import Client

@Suite("batches as somebody wrote them")
struct WrittenBatchTests {
    private func text(_ json: String) -> WrittenBatch { WrittenBatch(Array(json.utf8)) }
    private func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test(
        "a new attempt stamps sent_at and changes nothing else",
        arguments: [
            (
                #"{"batch_id":"b","sent_at":1,"events":[]}"#,
                #"{"batch_id":"b","sent_at":99,"events":[]}"#
            ),
            (
                " {\n\"sent_at\" : 1763700000000 ,\"batch_id\":\"b\"}\n",
                " {\n\"sent_at\" : 99 ,\"batch_id\":\"b\"}\n"
            ),
            (
                #"{"events":[{"sent_at":5}],"batch_id":"b","sent\u005fat":-7}"#,
                #"{"events":[{"sent_at":5}],"batch_id":"b","sent\u005fat":99}"#
            ),
            // Absent, of another kind, without an id, or no JSON: as it is.
            (#"{"batch_id":"b"}"#, #"{"batch_id":"b"}"#),
            (#"{"batch_id":"b","sent_at":"1"}"#, #"{"batch_id":"b","sent_at":"1"}"#),
            (#"{"sent_at":1,"events":[]}"#, #"{"sent_at":1,"events":[]}"#),
            (#"{"batch_id":"b","sent_at":1"#, #"{"batch_id":"b","sent_at":1"#),
            (#"[1]"#, #"[1]"#), ("", ""),
        ])
    func stamping(before: String, after: String) {
        #expect(string(text(before).stamped(99)) == after)
    }

    @Test("the expected id is the batch's own, or what the legacy profile makes of its bytes")
    func expectedID() {
        let known = text(#"{"batch_id":"a\u0062"}"#)
        #expect(known.expectedID(.legacy) == .id("ab"))
        #expect(known.expectedID(.plain) == .id("ab"))
        let nameless = text("{}")
        #expect(nameless.expectedID(.aes128gcm) == .unknown)
        // SHA-256 of the two bytes {}.
        #expect(
            nameless.expectedID(.legacy)
                == .id("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"))
        #expect(text("").expectedID(.legacy) == .null)
        #expect(text("").expectedID(.jwe) == .unknown)
    }

    @Test("a batch is halved into two batches that hold its events once and count once")
    func halves() throws {
        let batch = text(
            #"{"batch_id": "b", "sequence": 4, "dropped_events": 2, "sent_at": 1,"#
                + #""events": [ {"name":"a","x":[1,2]} , 7, null,"s",true ], "resource": {"r": "é"}}"#
        )
        let parts = try #require(batch.halves())
        #expect(
            string(parts.first)
                == #"{"batch_id":"b.1","sequence": 4,"dropped_events": 2,"sent_at": 1,"#
                + #""events":[{"name":"a","x":[1,2]},7],"resource": {"r": "é"}}"#)
        #expect(
            string(parts.second)
                == #"{"batch_id":"b.2","sent_at": 1,"events":[null,"s",true],"resource": {"r": "é"}}"#
        )
        let again = try #require(batch.halves())
        #expect(again.first == parts.first)
    }

    @Test(
        "what cannot be halved is not",
        arguments: [
            #"{"batch_id":"b","events":[1]}"#, #"{"batch_id":"b","events":[]}"#,
            #"{"batch_id":"b","events":{}}"#, #"{"batch_id":"b"}"#, #"{"events":[1,2]}"#, "", "[",
            #"{"batch_id":"\#(String(repeating: "b", count: 63))","events":[1,2]}"#,
        ])
    func whole(json: String) {
        #expect(text(json).halves() == nil)
    }
}
