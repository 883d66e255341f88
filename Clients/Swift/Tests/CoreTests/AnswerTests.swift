import Testing

@testable import Core

@Suite("Answers")
struct AnswerTests {
    private static let own = "0193a1f2-7c11-7b0e-9a55-0c7d7f4f5a01"

    /// The table of client.md §5, written out once more.
    private static let table: [(status: Int, names: [String], AnswerCode.Treatment)] = [
        (400, ["undecodable", "malformed-json"], .drop),
        (401, ["unauthorized", "unknown-key"], .hold),
        (403, ["revoked-key", "forbidden", "plain-not-allowed"], .hold),
        (404, ["unknown-app"], .hold),
        (413, ["body-too-large", "inflated-too-large"], .split),
        (413, ["too-many-events", "too-many-elements"], .split),
        (415, ["unsupported-media-type", "unsupported-encoding"], .drop),
        (422, ["unsupported-schema", "invalid-batch", "invalid-resource"], .drop),
        (422, ["invalid-device-id"], .drop),
        (408, ["request-timeout"], .retrySmaller),
        (429, ["rate-limited"], .retry),
        (500, ["internal-error"], .retry),
        (503, ["overloaded", "shutting-down", "clock-unset"], .retry),
        (507, ["storage-full"], .retry),
        // What HTTP itself refuses speaks of the request and not of the batch.
        (400, ["bad-request"], .hold),
        (404, ["not-found"], .hold),
        (405, ["method-not-allowed"], .hold),
        (414, ["uri-too-long"], .hold),
        (417, ["expectation-failed"], .hold),
        (431, ["header-too-large"], .hold),
        (501, ["not-implemented"], .hold),
        (505, ["version-not-supported"], .hold),
    ]

    private func judge(
        _ status: Int, _ type: String, _ body: String, expecting id: ExpectedBatchID = .id(own),
        isDryRun: Bool = false
    ) -> Answer {
        Answer.judge(
            .init(
                status: status, mediaType: type, retryAfter: nil, date: nil, body: Array(body.utf8)),
            expecting: id, isDryRun: isDryRun)
    }

    private func isUnusable(_ answer: Answer) -> Bool {
        if case .unusable = answer { true } else { false }
    }

    @Test("the table has every code once, and no other")
    func table() {
        let here = Self.table.flatMap { row in
            row.names.map { "\(row.status) \($0) \(row.2)" }
        }
        let codes = AnswerCode.all.map { "\($0.status) \($0.name) \($0.treatment)" }
        #expect(here.sorted() == codes.sorted())
    }

    @Test("a code under its status means what the contract says, under another one nothing")
    func codes() {
        for code in AnswerCode.all {
            let body = "{\"code\":\"\(code.name)\",\"detail\":\"d\"}"
            let answer = judge(code.status, "application/problem+json", body)
            #expect(answer == .refused(.init(code: code, detail: "d")))
            for (status, type) in [(599, "application/problem+json"), (code.status, "text/html")] {
                let answer = judge(status, type, body)
                #expect(isUnusable(answer), "\(status) \(type) \(code.name)")
            }
        }
    }

    @Test(
        "a 413 without a code of the protocol is a proxy's, whatever it is made of",
        arguments: [
            ("text/html", "<h1>413 Request Entity Too Large</h1>", true), ("", "", true),
            ("application/json", #"{"code":"body-too-large"}"#, true),
            ("application/problem+json", #"{"status":413}"#, true),
            ("application/problem+json", #"{"code":"too-much"}"#, true),
            ("application/problem+json", #"{"code":"overloaded"}"#, false),
            ("text/html", String(repeating: " ", count: 65_537), false),
        ])
    func tooLarge(_ type: String, _ body: String, _ isProxy: Bool) {
        guard case .unusable(let answer) = judge(413, type, body) else {
            Issue.record("it is taken for the server's")
            return
        }
        #expect(answer.isTooLarge == isProxy)
        #expect(answer.reason.contains("proxy") == isProxy)
    }

    @Test("a redirect is told as what it is, with where to")
    func redirects() {
        func reason(_ status: Int, _ location: String?) -> String? {
            let answer = Answer.judge(
                .init(
                    status: status, mediaType: "text/html", retryAfter: nil, date: nil,
                    location: location, body: []), expecting: .id(Self.own), isDryRun: false)
            if case .unusable(let unusable) = answer { return unusable.reason } else { return nil }
        }
        #expect(
            reason(301, "https://a.example/x?y")
                == "status 301, a redirect to https://a.example/x…, which is not followed")
        #expect(
            reason(308, "javascript:alert(1)")
                == "status 308, a redirect to what is no address, which is not followed")
        #expect(reason(304, nil) == "status 304 without a code of the protocol")
        #expect(reason(201, "/a") == "status 201 without a code of the protocol")
    }

    @Test("only the server's own 200 is success")
    func success() {
        let good = "{\"batch_id\":\"\(Self.own)\",\"accepted\":2,\"rejected\":1}"
        #expect(
            judge(200, "application/json", good)
                == .stored(.init(batchID: Self.own, accepted: 2, rejected: 1)))
        let dry = "{\"batch_id\":\"\(Self.own)\",\"accepted\":0,\"rejected\":0,\"dry_run\":true}"
        #expect(
            judge(200, "application/json", dry, isDryRun: true)
                == .stored(
                    .init(batchID: Self.own, isDryRun: true, accepted: 0, rejected: 0)))
        for (status, type, body) in [
            (200, "text/html", good), (201, "application/json", good), (204, "", ""),
            (200, "application/json", "[]"), (200, "application/json", dry),
            (200, "application/json", ""), (200, "", good), (302, "", ""), (0, "", ""),
            (200, "application/json", good.replacing("2", with: "\"2\"")),
            (200, "application/json", "{\"batch_id\":\"\(Self.own)\"}"),
            (200, "application/json", "{\"accepted\":2,\"rejected\":1}"),
            (200, "application/json", String(good.dropLast())),
            (200, "application/json", good.replacing("0193", with: "0194")),
            (200, "application/json", good + String(repeating: " ", count: 65_536)),
        ] {
            let answer = judge(status, type, body)
            #expect(isUnusable(answer), "\(status) \(type) \(body.prefix(80))")
        }
    }

    @Test("the account of a partly rejected dry run is read whole")
    func account() {
        let body = #"""
            {"batch_id": "b-1", "duplicate": true, "dry_run": true, "accepted": 1, "rejected": 2,
             "rejections": [{"index": 2, "code": "invalid-time", "detail": "time \"must\" be"},
                            {"index": 4, "code": "invalid-name", "detail": "x", "more": 1.5},
                            {"code": "no-index"}], "later": [null, 1e3, {"a": []}]}
            """#
        let receipt = Answer.Receipt(
            batchID: "b-1", isDuplicate: true, isDryRun: true, accepted: 1, rejected: 2,
            verdicts: [
                .init(index: 2, code: "invalid-time", detail: #"time "must" be"#),
                .init(index: 4, code: "invalid-name", detail: "x"),
            ])
        let answer = judge(200, "application/json", body, expecting: .id("b-1"), isDryRun: true)
        #expect(answer == .stored(receipt))
    }

    @Test("an empty legacy batch is answered with null, and only it")
    func null() {
        let none = #"{"batch_id":null,"duplicate":false,"accepted":0,"rejected":0}"#
        let named = "{\"batch_id\":\"\(Self.own)\",\"accepted\":2,\"rejected\":1}"
        #expect(
            judge(200, "application/json", none, expecting: .null)
                == .stored(.init(accepted: 0, rejected: 0)))
        #expect(isUnusable(judge(200, "application/json", none)))
        #expect(isUnusable(judge(200, "application/json", named, expecting: .null)))
        #expect(isUnusable(judge(200, "application/json", named, expecting: .unknown)))
    }
}
