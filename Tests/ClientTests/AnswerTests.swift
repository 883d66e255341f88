import Testing

@testable import Client

@Suite("judging answers")
struct AnswerTests {
    private func answer(
        _ status: Int, _ type: String?, _ body: String, retryAfter: Int? = nil
    ) -> HTTPAnswer {
        HTTPAnswer(
            status: status, fields: type.map { [("content-type", $0)] } ?? [],
            body: Array(body.utf8), retryAfter: retryAfter)
    }

    private let whole = #"{"batch_id":"b-1","duplicate":false,"accepted":3,"rejected":0}"#

    @Test("a 200 with application/json and the own id is success")
    func success() {
        for type in ["application/json", "Application/JSON; charset=utf-8"] {
            #expect(
                Answer.judge(answer(200, type, whole), expecting: .id("b-1"))
                    == .accepted(.init(batchID: "b-1", accepted: 3)))
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
            rejections: [
                .init(index: 2, code: "invalid-time", detail: #"time "must" be"#),
                .init(index: 4, code: "invalid-name", detail: "x"),
            ])
        #expect(
            Answer.judge(answer(200, "application/json", body), expecting: .id("b-1"))
                == .accepted(receipt))
    }

    @Test("an empty legacy batch is answered with null, and only it")
    func null() {
        let body = #"{"batch_id":null,"duplicate":false,"accepted":0,"rejected":0}"#
        let none = answer(200, "application/json", body)
        #expect(Answer.judge(none, expecting: .null) == .accepted(.init()))
        #expect(isUnusable(Answer.judge(none, expecting: .id("b-1"))))
        #expect(
            isUnusable(Answer.judge(answer(200, "application/json", whole), expecting: .null)))
    }

    private func isUnusable(_ answer: Answer) -> Bool {
        if case .unusable = answer { true } else { false }
    }

    @Test(
        "anything else that looks like success is as good as 503",
        arguments: [
            (200, "text/html", #"{"batch_id":"b-1","accepted":3,"rejected":0}"#),
            (200, nil, #"{"batch_id":"b-1","accepted":3,"rejected":0}"#),
            (200, "application/json", #"{"batch_id":"b-2","accepted":3,"rejected":0}"#),
            (200, "application/json", #"{"batch_id":null,"accepted":3,"rejected":0}"#),
            (200, "application/json", #"{"accepted":3,"rejected":0}"#),
            (200, "application/json", #"{"batch_id":"b-1"}"#),
            (200, "application/json", #"{"batch_id":"b-1","accepted":"3","rejected":0}"#),
            (200, "application/json", #"{"batch_id":"b-1","accepted":3,"rejected":0"#),
            (200, "application/json", ""),
            (200, "application/json", "[]"),
            (201, "application/json", #"{"batch_id":"b-1","accepted":3,"rejected":0}"#),
            (204, nil, ""), (302, nil, ""), (304, "application/json", "{}"),
            (0, nil, ""),
        ] as [(Int, String?, String)])
    func notSuccess(status: Int, type: String?, body: String) {
        let judged = Answer.judge(
            answer(status, type, body, retryAfter: 4), expecting: .id("b-1"))
        guard case .unusable(let unusable) = judged else {
            Issue.record("\(judged)")
            return
        }
        #expect(unusable.status == status)
        #expect(unusable.retryAfter == 4)
    }

    @Test("nothing is believed of a batch whose id cannot be read")
    func unknown() {
        #expect(
            isUnusable(Answer.judge(answer(200, "application/json", whole), expecting: .unknown)))
    }

    @Test("a problem with a code of the protocol is a refusal")
    func refusal() {
        let body = #"{"type":"about:blank","status":429,"code":"rate-limited","detail":"wait"}"#
        let judged = Answer.judge(
            answer(429, "application/problem+json; charset=utf-8", body, retryAfter: 9),
            expecting: .id("b-1"))
        #expect(
            judged
                == .refused(
                    .init(status: 429, code: "rate-limited", detail: "wait", retryAfter: 9)))
    }

    @Test(
        "an error without one is as good as 503",
        arguments: [
            (400, "text/html", "<h1>Bad</h1>"),
            (400, "application/json", #"{"code":"undecodable"}"#),
            (400, "application/problem+json", #"{"code":"made-up"}"#),
            (400, "application/problem+json", #"{"code":400}"#),
            (400, "application/problem+json", #"{"code":"undecodable""#),
            // A code of the protocol with another's status is not our server's word.
            (400, "application/problem+json", #"{"code":"invalid-batch"}"#),
            (403, nil, ""), (404, "text/plain", "not found"), (502, "text/html", ""),
            (511, "text/html", "log in"),
        ] as [(Int, String?, String)])
    func notRefusal(status: Int, type: String?, body: String) {
        #expect(isUnusable(Answer.judge(answer(status, type, body), expecting: .id("b-1"))))
    }
}
