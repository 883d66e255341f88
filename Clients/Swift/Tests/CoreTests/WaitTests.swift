import Testing

@testable import Core

@Suite("Waits")
struct WaitTests {
    @Test(
        "a wait is half to the whole of what doubles with each failure, up to the cap",
        arguments: [(1, 1000), (2, 2000), (3, 4000), (9, 256_000), (10, 300_000), (90, 300_000)]
            as [(Int64, Int64)])
    func growth(_ failures: Int64, _ most: Int64) {
        let backoff = Backoff()
        func wait(_ draw: Double) -> Int64 {
            backoff.wait(afterFailures: failures, isHold: false, asked: nil, draw: draw)
        }
        #expect(wait(0) == most && wait(1) == most / 2)
    }

    @Test("a longer Retry-After replaces a wait, a shorter one does not")
    func asked() {
        func wait(_ isHold: Bool, _ asked: Int64, _ draw: Double = 0) -> Int64 {
            Backoff().wait(afterFailures: 1, isHold: isHold, asked: asked, draw: draw)
        }
        #expect(wait(false, 60_000) == 60_000 && wait(false, 60_000, 1) == 75_000)
        #expect(wait(false, 10) == 1000)
        #expect(wait(true, 60_000) == 3_600_000 && wait(true, 7_200_000) == 7_200_000)
    }

    @Test(
        "Retry-After in all its forms",
        arguments: [
            ("2", 2000), ("0", nil), ("-5", nil), ("1.5", nil), ("5 seconds", nil), ("", nil),
            ("soon", nil), ("604800", 86_400_000), ("99999999999999999999999", 86_400_000),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 7000), ("Sun, 06 Nov 1994 08:49:30 GMT", nil),
            ("Fri, 31 Dec 2099 23:59:59 GMT", 86_400_000), ("Mon, 99 Foo 2020 99:00:00 GMT", nil),
        ] as [(String, Int64?)])
    func retryAfter(_ field: String, _ wanted: Int64?) {
        let wait = RetryAfter.wait(field, date: "Sun, 06 Nov 1994 08:49:30 GMT", now: 0)
        #expect(wait == wanted)
    }

    @Test("days are those of the calendar")
    func dates() {
        for (text, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ] as [(String, Int64)] {
            #expect(HTTPDate.milliseconds(text) == seconds * 1000)
        }
    }

    @Test("a moment further off than its wait is now, and another key ends a hold")
    func restarts() {
        let wait = Wait(failures: 1, until: 10_000, span: 4000, held: 0)
        #expect(wait.remaining(at: 7000, configuration: 5) == 3000)
        #expect(wait.remaining(at: 5000, configuration: 5) == 0)
        #expect(wait.remaining(at: 11_000, configuration: 5) == 0)
        let hold = Wait(failures: 1, until: 10_000, span: 4000, held: 4)
        #expect(hold.remaining(at: 7000, configuration: 5) == 0)
        #expect(hold.remaining(at: 7000, configuration: 4) == 3000)
    }
}
