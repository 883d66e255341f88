import HTTP1
import Testing

/// Requests that are answered, or handed on, before their body has come.
@Suite("a body that has not come whole")
struct OpeningTests {
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(
        "its opening is judged as soon as it is there, declared or in chunks, in pieces of any size",
        arguments: [
            ("Content-Length: 6\r\n\r\n", "abcdef"),
            ("Transfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n3;x\r\nbcd\r\n2\r\nef\r\n0\r\n\r\n"),
        ])
    func opening(framing: String, body: String) {
        for first in 1...4 {
            for second in first...5 {
                let rig = Rig()
                rig.openings = first == second ? [first] : [first, second]
                rig.feed(Self.post + framing)
                for octet in body.utf8 { rig.feed([octet]) }
                let asked = rig.openings.map { "opening \("abcdef".prefix($0))" }
                #expect(rig.events() == asked + ["post abcdef", "200"])
            }
        }
    }

    @Test("a body that is whole by then is not judged beforehand")
    func whole() {
        let rig = Rig()
        rig.openings = [3]
        rig.feed(Self.post + "Content-Length: 3\r\n\r\nabc" + Self.get)
        #expect(rig.events() == ["post abc", "200", "get ", "200"])
        rig.feed(Self.post + "Content-Length: 3\r\n\r\nab")
        rig.feed("c")
        #expect(rig.events() == ["post abc", "200"])
    }

    @Test("an answer to the opening keeps the connection only if the rest is short and declared")
    func answered() {
        let rig = Rig()
        rig.openings = [2]
        rig.openingAnswer = 401
        rig.feed(Self.post + "Content-Length: 6\r\n\r\nabc")
        #expect(rig.events() == ["opening abc", "401"])
        rig.feed("def" + Self.get)
        #expect(rig.events() == ["get ", "200"])
        // What has come does not count.
        rig.bodyLimit = 1 << 20
        rig.feed(Self.post + "Content-Length: \((64 << 10) + 2)\r\n\r\nab")
        #expect(rig.events() == ["opening ab", "401"])
        rig.feed([UInt8](repeating: 0x78, count: 64 << 10) + Array(Self.get.utf8))
        #expect(rig.events() == ["get ", "200"])
        rig.feed(Self.post + "Content-Length: \((64 << 10) + 3)\r\n\r\nab")
        #expect(rig.events() == ["opening ab", "401 close", "linger"])
        let other = Rig()
        other.openings = [2]
        other.openingAnswer = 401
        other.feed(Self.post + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n" + Self.get)
        #expect(other.events() == ["post ab", "200", "get ", "200"])
        other.feed(Self.post + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\n")
        #expect(other.events() == ["opening ab", "401 close", "linger"])
    }

    @Test("a request that needs no body is handed on at its head, and nothing of one is kept")
    func skipped() {
        let rig = Rig()
        rig.skipsBody = true
        rig.feed(Self.post + "Content-Length: 5\r\n\r\n")
        #expect(rig.events() == ["post ", "200"])
        rig.feed("abcde" + Self.get)
        #expect(rig.events() == ["get ", "200"])
        rig.feed(Self.post + "Content-Length: 5\r\n\r\nabcde" + Self.get)
        #expect(rig.events() == ["post ", "200", "get ", "200"])
        rig.feed(Self.post + "Content-Length: 65537\r\n\r\nabc" + Self.get)
        #expect(rig.events() == ["post ", "200 close", "linger"])
        for fields in [
            "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            "Content-Length: 1\r\nExpect: 100-continue\r\n\r\n",
        ] {
            let other = Rig()
            other.skipsBody = true
            other.feed(Self.post + fields + Self.get)
            #expect(other.events() == ["post ", "200 close", "linger"])
        }
    }

    @Test("what comes of such a body while its answer is awaited is dropped, and the rest after it")
    func skippedLater() {
        let rig = Rig()
        rig.skipsBody = true
        rig.answersInline = false
        rig.feed(Self.post + "Content-Length: 6\r\n\r\nabc")
        #expect(rig.events() == ["post "])
        #expect(!rig.wantsInput)
        rig.answer()
        #expect(rig.wantsInput)
        rig.feed("def" + Self.get)
        #expect(rig.events() == ["200", "get "])
        rig.answer()
        rig.feed(Self.post + "Content-Length: 70000\r\n\r\nabc")
        #expect(rig.events() == ["200", "post "])
        rig.answer()
        #expect(rig.events() == ["200 close", "linger"])
    }

    @Test("a request that has to make room is 408, whole or not when it is told so")
    func givesWay() {
        for part in ["GET", Self.post + "Content-Length: 9\r\n\r\nabc"] {
            let rig = Rig()
            rig.feed(part)
            rig.apply(rig.machine.giveWay())
            #expect(rig.events() == ["refuse noRoom", "408 close", "linger"])
            #expect(RequestRefusal.noRoom.status == 408)
        }
        // The one that is being handled is answered; what had come behind it is given up.
        let rig = Rig()
        rig.answersInline = false
        rig.feed(Self.get + "GET")
        #expect(rig.machine.giveWay() == .wait)
        rig.forget()
        rig.answer()
        rig.work(now: 0)
        #expect(rig.events() == ["get ", "200", "refuse noRoom", "408 close", "linger"])
    }
    @Test(
        "nothing is dropped of what had to make room behind an answer that is stuck",
        arguments: [
            (nil, get + get), (nil, post + "Content-Length: 6\r\n\r\nabc"),
            (1000, post + "Content-Length: 3\r\n\r\nab"),
        ] as [(Int?, String)])
    func givesWayStuck(bodyLimit: Int?, part: String) {
        let rig = stuck(bodyLimit, part)
        #expect(rig.machine.giveWay() == .wait)
        rig.forget()
        rig.write()
        rig.work(now: 0)
        #expect(rig.events() == ["refuse noRoom", "408 close", "linger"])
    }

    @Test("nor if the server stops between")
    func givesWayStopping() {
        let rig = stuck(nil, Self.post + "Content-Length: 6\r\n\r\nabc")
        #expect(rig.machine.stop() == .wait)
        #expect(rig.machine.giveWay() == .wait)
        rig.forget()
        rig.write()
        rig.work(now: 0)
        #expect(rig.events() == ["linger"])
    }

    /// A request that has been answered 404 before its body was whole; the client does not read that.
    private func stuck(_ bodyLimit: Int?, _ part: String) -> Rig {
        let rig = Rig()
        rig.bodyLimit = bodyLimit
        rig.openings = [2]
        rig.openingAnswer = 404
        rig.isStuck = true
        rig.feed(part)
        #expect(rig.events().last == "404")
        return rig
    }
}
