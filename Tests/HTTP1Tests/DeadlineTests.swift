import HTTP1
import Testing

/// Time is set, nothing sleeps. All moments in seconds.
@Suite struct DeadlineTests {
    private static let second: Int64 = 1_000_000_000

    private func rig() -> Rig {
        var timeouts = Timeouts()
        timeouts.header = 10 * Self.second
        timeouts.body = 30 * Self.second
        timeouts.idle = 75 * Self.second
        timeouts.write = 20 * Self.second
        timeouts.linger = 5 * Self.second
        return Rig(timeouts: timeouts)
    }

    /// Feeds `text` octet by octet, one a second, until the machine's deadline is there.
    private func drip(_ rig: Rig, _ text: String, from start: Int64) -> Int64 {
        var moment = start
        for octet in text.utf8 {
            if rig.deadline <= moment * Self.second { return moment }
            rig.feed([octet], now: moment * Self.second)
            moment += 1
        }
        return moment
    }

    @Test("a header that drips is cut off ten seconds after its first octet")
    func header() {
        let rig = rig()
        #expect(rig.deadline == 75 * Self.second)
        let end = drip(rig, ConnectionMachineTests.get, from: 60)
        #expect(end == 70)
        rig.apply(rig.machine.expire(now: 70 * Self.second - 1))
        #expect(rig.events() == ["wait"])
        rig.apply(rig.machine.expire(now: 70 * Self.second), now: 70 * Self.second)
        #expect(rig.events() == ["refuse headerTimeout", "408 close", "linger"])
        #expect(rig.deadline == 75 * Self.second)
    }

    @Test("empty lines do not begin a header and do not renew the idle time")
    func emptyLines() {
        let rig = rig()
        rig.feed("\r\n", now: 70 * Self.second)
        #expect(rig.deadline == 75 * Self.second)
        rig.apply(rig.machine.expire(now: 75 * Self.second))
        #expect(rig.events() == ["close"])
    }

    @Test(
        "a body that drips is cut off thirty seconds after its header",
        arguments: [
            "Content-Length: 900\r\n\r\n" + String(repeating: "x", count: 100),
            "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: "1\r\nx\r\n", count: 20),
        ])
    func body(text: String) {
        let rig = rig()
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
        rig.feed(ConnectionMachineTests.post + parts[0] + "\r\n\r\n", now: 3 * Self.second)
        #expect(drip(rig, String(parts[1]), from: 4) == 33)
        rig.apply(rig.machine.expire(now: 33 * Self.second))
        #expect(rig.events() == ["refuse bodyTimeout", "408 close", "linger"])
    }

    @Test("the rest of a body after an early answer has the body's deadline too")
    func discarding() {
        let rig = rig()
        rig.bodyLimit = nil
        rig.feed(ConnectionMachineTests.post + "Content-Length: 900\r\n\r\n")
        #expect(drip(rig, String(repeating: "x", count: 100), from: 1) == 30)
        rig.apply(rig.machine.expire(now: 30 * Self.second))
        #expect(rig.events() == ["404", "close"])
    }

    @Test("so has the rest of one that nobody asked for, also where its client may have gone")
    func discardingUnasked() {
        for mayHaveGone in [false, true] {
            let rig = rig()
            rig.skipsBody = true
            rig.answersInline = false
            rig.feed(ConnectionMachineTests.post + "Content-Length: 900\r\n\r\n")
            if mayHaveGone { rig.machine.peerMayHaveGone(now: 0) }
            rig.answer(now: 3 * Self.second)
            #expect(rig.deadline == 33 * Self.second)
            rig.apply(rig.machine.expire(now: 33 * Self.second))
            #expect(rig.events() == ["post ", "200", "close"])
        }
    }

    @Test("idle time begins with the answer and ends without a word")
    func idle() {
        let rig = rig()
        rig.feed(ConnectionMachineTests.get, now: 50 * Self.second)
        #expect(rig.deadline == 125 * Self.second)
        rig.apply(rig.machine.expire(now: 125 * Self.second))
        #expect(rig.events() == ["get ", "200", "close"])
    }

    @Test("while an answer is awaited nothing runs out")
    func handling() {
        let rig = rig()
        rig.answersInline = false
        rig.feed(ConnectionMachineTests.get)
        #expect(rig.deadline == ConnectionMachine.never)
    }

    @Test("a client that may have gone is asked once a second while its answer is awaited")
    func presence() {
        let rig = rig()
        rig.answersInline = false
        rig.machine.peerMayHaveGone(now: 0)
        #expect(rig.deadline == 75 * Self.second)
        rig.feed(ConnectionMachineTests.get, now: 2 * Self.second)
        rig.machine.peerMayHaveGone(now: 2 * Self.second)
        // To be told so again moves nothing.
        rig.machine.peerMayHaveGone(now: 2 * Self.second + 1)
        for moment: Int64 in 3...5 {
            #expect(rig.deadline == moment * Self.second)
            rig.apply(rig.machine.expire(now: moment * Self.second - 1))
            rig.apply(rig.machine.expire(now: moment * Self.second))
        }
        #expect(
            rig.events() == ["get "]
                + Array(repeating: ["wait", "sendContinue"], count: 3).joined())
        rig.answer(now: 6 * Self.second)
        #expect(rig.deadline == 81 * Self.second)
        // To a client of HTTP/1.0 no interim answer is sent.
        rig.feed("GET / HTTP/1.0\r\n\r\n", now: 7 * Self.second)
        rig.machine.peerMayHaveGone(now: 7 * Self.second)
        #expect(rig.deadline == ConnectionMachine.never)
    }

    @Test("an answer has one write timeout, however much the client reads of it")
    func writing() {
        let rig = rig()
        rig.feed(ConnectionMachineTests.get)
        for moment in 1..<20 {
            _ = rig.machine.wrote(100_000, pending: 5, now: Int64(moment) * Self.second)
        }
        #expect(rig.deadline == 21 * Self.second)
        #expect(!rig.wantsInput)
        rig.apply(rig.machine.expire(now: 21 * Self.second))
        #expect(rig.events() == ["get ", "200", "close"])
    }

    @Test(
        "a streamed answer has one write timeout for each 64 KiB, and none while its source rests")
    func streaming() {
        let rig = rig()
        rig.answersInline = false
        rig.feed(ConnectionMachineTests.get)
        rig.answer(streams: true)
        #expect(rig.deadline == ConnectionMachine.never)
        _ = rig.machine.wrote(10, pending: 5, now: 1 * Self.second)
        #expect(rig.deadline == 21 * Self.second)
        _ = rig.machine.wrote(65535, pending: 5, now: 15 * Self.second)
        #expect(rig.deadline == 21 * Self.second)
        _ = rig.machine.wrote(1, pending: 5, now: 16 * Self.second)
        #expect(rig.deadline == 36 * Self.second)
        _ = rig.machine.wrote(5, pending: 0, now: 17 * Self.second)
        #expect(rig.deadline == ConnectionMachine.never)
    }

    @Test("lingering ends by itself")
    func lingering() {
        let rig = rig()
        rig.feed("\u{16}", now: 0)
        #expect(drip(rig, "aaaaaaaaaaaa", from: 1) == 5)
        rig.apply(rig.machine.expire(now: 5 * Self.second))
        #expect(rig.events() == ["refuse requestLine", "400 close", "linger", "close"])
    }

    @Test("a request began when its first byte came, and has its time from when it was looked at")
    func lateLook() {
        var timeouts = Timeouts()
        timeouts.header = 10 * Self.second
        var machine = ConnectionMachine(limits: RequestLimits(), timeouts: timeouts, now: 0)
        var head = Array(ConnectionMachineTests.get.utf8.prefix(9))
        var window = head.mutableSpan
        let action = machine.advance(
            &window, now: 18 * Self.second, arrivedAt: 2 * Self.second)
        let (begunAt, deadline) = (machine.begunAt, machine.deadline)
        #expect(action == .read(keep: 9))
        #expect(begunAt == 2 * Self.second && deadline == 28 * Self.second)
    }
}
