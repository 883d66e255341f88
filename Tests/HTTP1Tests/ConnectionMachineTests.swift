import HTTP1
import Testing

@Suite struct ConnectionMachineTests {
    static let post = "POST / HTTP/1.1\r\nHost: a\r\n"
    static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    static let conversations: [(String, [String])] = [
        (get, ["get ", "200"]),
        (get + get, ["get ", "200", "get ", "200"]),
        (post + "Content-Length: 3\r\n\r\nabc" + get, ["post abc", "200", "get ", "200"]),
        (post + "Content-Length: 3\r\n\r\nabc\r\n" + get, ["post abc", "200", "get ", "200"]),
        (
            post + "Transfer-Encoding: chunked\r\n\r\n2;x\r\nab\r\n1\r\nc\r\n0\r\nT: u\r\n\r\n"
                + get,
            ["post abc", "200", "get ", "200"]
        ),
        (post + "\r\n" + get, ["post ", "200", "get ", "200"]),
        ("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get, ["head ", "200 head", "get ", "200"]),
        ("GET / HTTP/1.0\r\n\r\n", ["get ", "200 close", "close"]),
        (
            "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get,
            ["get ", "200", "get ", "200"]
        ),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + get,
            ["get ", "200 close", "close"]
        ),
        (
            "FOO / HTTP/1.1\r\nHost: a\r\n\r\n" + get,
            ["refuse unknownMethod", "501", "get ", "200"]
        ),
        (
            "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
            ["refuse unknownMethod", "501 close", "linger"]
        ),
        ("HEAD / HTTP/1.1\r\nHost: \r\n\r\n", ["refuse host", "400 close head", "linger"]),
        (
            post + "Content-Length: 1001\r\n\r\n" + String(repeating: "x", count: 1001) + get,
            ["refuse bodyTooLarge", "413", "get ", "200"]
        ),
        (
            post + "Content-Length: 70000\r\n\r\n", ["refuse bodyTooLarge", "413 close", "linger"]
        ),
        (
            post + "Transfer-Encoding: chunked\r\n\r\nFFFF\r\n",
            ["refuse bodyTooLarge", "413 close", "linger"]
        ),
        (
            post + "Transfer-Encoding: chunked\r\n\r\n1\r\naXX",
            ["refuse chunk", "400 close", "linger"]
        ),
        (
            post + "Content-Length: 3\r\nExpect: x\r\n\r\nabc" + get,
            ["refuse expectation", "417 close", "linger"]
        ),
    ]

    @Test(
        "a conversation goes alike whole, split at every place and byte by byte",
        arguments: 0..<conversations.count)
    func conversation(place: Int) {
        let (text, expected) = Self.conversations[place]
        let octets = Array(text.utf8)
        for cuts in Splits.all(octets) {
            let rig = Rig()
            var start = 0
            for cut in cuts {
                rig.feed(Array(octets[start..<cut]))
                start = cut
            }
            // What follows the last answer of a connection is not looked at.
            #expect(rig.events() == expected, "\(cuts.prefix(1))")
        }
    }

    @Test("100 is sent only when the body is wanted and has not begun to come")
    func interim() {
        let head = Self.post + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        let rig = Rig()
        rig.feed(head)
        #expect(rig.events() == ["100"])
        rig.feed("ab")
        #expect(rig.events() == ["post ab", "200"])
        rig.feed(head + "a")
        rig.feed("b")
        #expect(rig.events() == ["post ab", "200"])
        rig.bodyLimit = nil
        rig.feed(head)
        #expect(rig.events() == ["404 close", "linger"])
    }

    @Test("an answer before the body keeps the connection only if the rest is short and declared")
    func earlyAnswers() {
        let rig = Rig()
        rig.bodyLimit = nil
        rig.feed(Self.post + "Content-Length: 5\r\n\r\nab")
        #expect(rig.events() == ["404"])
        rig.feed("cde" + Self.get)
        #expect(rig.events() == ["404"])
        rig.feed(Self.post + "Content-Length: 65537\r\n\r\n")
        #expect(rig.events() == ["404 close", "linger"])
        let other = Rig()
        other.bodyLimit = nil
        other.feed(Self.post + "Transfer-Encoding: chunked\r\n\r\n")
        #expect(other.events() == ["404 close", "linger"])
    }

    @Test("a streamed answer before the body ends the connection: its rest is never a request")
    func earlyStream() {
        let rig = Rig()
        rig.bodyLimit = nil
        rig.streamsEarly = true
        rig.feed(Self.post + "Content-Length: 5\r\n\r\nab")
        #expect(rig.events() == ["404 close"])
        #expect(rig.isStreaming)
        rig.machine.streamEnded(now: 0)
        rig.write()
        #expect(rig.events() == ["linger"])
    }

    @Test("while an answer is streamed the next request waits")
    func streamOrder() {
        let rig = Rig()
        rig.answersInline = false
        rig.feed(Self.get)
        rig.answer(streams: true)
        #expect(rig.isStreaming)
        rig.feed(Self.get)
        #expect(rig.events() == ["get ", "200"])
        rig.machine.streamEnded(now: 0)
        rig.work(now: 0)
        #expect(rig.events() == ["get "])
    }

    @Test(
        "the next request waits for the answer to the last, and a second answer counts for nothing")
    func order() {
        let rig = Rig()
        rig.answersInline = false
        rig.feed(Self.get + Self.post + "Content-Length: 1\r\n\r\nx")
        #expect(rig.events() == ["get "])
        let first = rig.sequence
        rig.answer()
        #expect(rig.events() == ["200", "post x"])
        #expect(rig.sequence == first + 1)
        rig.answer()
        rig.answer()
        #expect(rig.events() == ["200", "late 200"])
    }

    @Test("what lingers is dropped, to a bound")
    func lingering() {
        var limits = RequestLimits()
        limits.lingerBytes = 10
        let rig = Rig(limits: limits)
        rig.feed("\u{16}")
        #expect(rig.events() == ["refuse requestLine", "400 close", "linger"])
        rig.feed("12345")
        #expect(rig.events() == [])
        rig.feed("67890")
        #expect(rig.events() == ["close"])
    }

    @Test(
        "a client that ends inside a request gets 400, else is let go when it has its answer",
        arguments: [
            ("", ["close"]), ("\r\n", ["close"]),
            ("GE", ["refuse truncated", "400 close", "linger"]),
            (post + "Content-Length: 1\r\n\r\n", ["refuse truncated", "400 close", "linger"]),
            (get, ["get ", "200", "close"]),
        ])
    func peerEnds(text: String, expected: [String]) {
        let rig = Rig()
        rig.feed(text)
        rig.apply(rig.machine.peerEnded())
        #expect(rig.events() == expected)
        let waiting = Rig()
        waiting.answersInline = false
        waiting.feed(Self.get)
        waiting.apply(waiting.machine.peerEnded())
        waiting.answer()
        #expect(waiting.events() == ["get ", "wait", "200 close", "close"])
    }

    @Test(
        "a stop ends idle connections, refuses what is not whole and finishes what is",
        arguments: [
            ("", ["close"]), ("G", ["refuse shuttingDown", "503 close", "linger"]),
            (post + "Content-Length: 2\r\n\r\na", ["refuse shuttingDown", "503 close", "linger"]),
        ])
    func stop(text: String, expected: [String]) {
        let rig = Rig()
        rig.feed(text)
        rig.apply(rig.machine.stop())
        #expect(rig.events() == expected)
        let waiting = Rig()
        waiting.answersInline = false
        waiting.feed(Self.get)
        waiting.apply(waiting.machine.stop())
        waiting.answer()
        #expect(waiting.events() == ["get ", "wait", "200 close", "close"])
        let late = Rig()
        late.machine.willStop()
        late.feed(Self.get)
        #expect(late.events() == ["get ", "200 close", "close"])
    }
}
