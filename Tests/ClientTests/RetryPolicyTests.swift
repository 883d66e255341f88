import Testing

@testable import Client

@Suite("what a client does after an answer")
struct RetryPolicyTests {
    /// The table of docs/protocol.md, "The answer", written out once more.
    static let table: [(Int, [String], String)] = [
        (400, ["undecodable", "malformed-json"], "drop"),
        (401, ["unauthorized", "unknown-key"], "keep"),
        (403, ["revoked-key", "forbidden", "plain-not-allowed"], "keep"),
        (404, ["unknown-app"], "keep"),
        (413, ["body-too-large", "inflated-too-large", "too-many-events"], "split"),
        (415, ["unsupported-media-type", "unsupported-encoding"], "drop"),
        (422, ["unsupported-schema", "invalid-batch", "invalid-resource"], "drop"),
        (422, ["invalid-device-id"], "drop"),
        (408, ["request-timeout"], "retry smaller"),
        (429, ["rate-limited"], "retry"),
        (500, ["internal-error"], "retry"),
        (503, ["overloaded", "shutting-down", "clock-unset"], "retry"),
        (507, ["storage-full"], "retry"),
        // What HTTP itself refuses speaks of the request and not of the batch.
        (400, ["bad-request"], "keep"),
        (404, ["not-found"], "keep"),
        (405, ["method-not-allowed"], "keep"),
        (414, ["uri-too-long"], "keep"),
        (417, ["expectation-failed"], "keep"),
        (431, ["header-too-large"], "keep"),
        (501, ["not-implemented"], "keep"),
        (505, ["version-not-supported"], "keep"),
    ]

    private func name(_ step: RetryPolicy.Step) -> String {
        switch step {
        case .done: "done"
        case .drop: "drop"
        case .keep: "keep"
        case .split: "split"
        case .retry(_, let smaller): smaller ? "retry smaller" : "retry"
        }
    }

    private func refused(_ status: Int, _ code: String, _ retryAfter: Int? = nil) -> Answer {
        .refused(Answer.Refusal(status: status, code: code, detail: "", retryAfter: retryAfter))
    }

    @Test("each status and code has its step", arguments: table)
    func steps(status: Int, codes: [String], step: String) {
        for code in codes {
            let answer = refused(status, code)
            let taken = RetryPolicy().step(after: answer, attempt: 1, draw: 0)
            #expect(name(taken) == step, "\(status) \(code)")
        }
    }

    @Test("the table has every code once, and no other")
    func complete() {
        let here = Self.table.flatMap { row in row.1.map { "\(row.0) \($0)" } }
        #expect(here.sorted() == AnswerCode.all.map { "\($0.status) \($0.name)" }.sorted())
    }

    @Test("a stored batch is done, and no answer at all is tried again")
    func ends() {
        let policy = RetryPolicy()
        #expect(policy.step(after: .accepted(.init()), attempt: 9, draw: 1) == .done)
        let failure = HTTPFailure(kind: .broken, origin: "x", reason: "y")
        #expect(name(policy.step(after: .missing(failure), attempt: 1, draw: 0)) == "retry")
    }

    @Test(
        "the wait doubles up to the cap, and chance takes up to half of it",
        arguments: [
            (1, 1_000), (2, 2_000), (3, 4_000), (9, 256_000), (10, 300_000), (100, 300_000),
            (Int.max, 300_000), (0, 1_000),
        ] as [(Int, Int64)])
    func backOff(attempt: Int, ceiling: Int64) {
        func wait(_ draw: UInt64) -> RetryPolicy.Step {
            RetryPolicy().step(after: refused(500, "internal-error"), attempt: attempt, draw: draw)
        }
        #expect(wait(0) == .retry(milliseconds: ceiling, smaller: false))
        #expect(
            wait(UInt64(ceiling / 2)) == .retry(milliseconds: ceiling - ceiling / 2, smaller: false)
        )
        for draw in [1, 77, 12_345_678_901, UInt64.max] as [UInt64] {
            guard case .retry(let wait, _) = wait(draw) else { continue }
            #expect((ceiling / 2...ceiling).contains(wait))
        }
    }

    @Test(
        "Retry-After is a least wait, of a day at most",
        arguments: [
            (1, 60, 60_000, 75_000), (10, 60, 150_000, 300_000), (1, 0, 500, 1_000),
            (1, -5, 500, 1_000), (1, Int.max, 86_400_000, 108_000_000),
        ] as [(Int, Int, Int64, Int64)])
    func retryAfter(attempt: Int, seconds: Int, least: Int64, most: Int64) {
        for draw in [0, 1, 500, 14_999, 15_000, 123_456_789, UInt64.max] as [UInt64] {
            for answer in [
                refused(503, "overloaded", seconds),
                .unusable(.init(status: 502, reason: "", retryAfter: seconds)),
            ] {
                let step = RetryPolicy().step(after: answer, attempt: attempt, draw: draw)
                guard case .retry(let wait, false) = step else {
                    Issue.record("\(step)")
                    continue
                }
                #expect((least...most).contains(wait), "\(wait)")
            }
        }
    }

    @Test("a kept batch is kept for an hour at least, longer if the server asks")
    func hold() {
        let policy = RetryPolicy()
        for draw in [0, 900_000, 900_001, UInt64.max] as [UInt64] {
            guard
                case .keep(let wait) = policy.step(
                    after: refused(401, "unauthorized"), attempt: 1, draw: draw)
            else {
                Issue.record("not kept")
                continue
            }
            #expect((3_600_000...4_500_000).contains(wait))
        }
        #expect(
            policy.step(after: refused(403, "forbidden", 7_200), attempt: 1, draw: 0)
                == .keep(milliseconds: 7_200_000))
    }
}
