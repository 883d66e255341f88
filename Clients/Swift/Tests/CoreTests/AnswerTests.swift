import Testing

@testable import Core

@Suite("Answers")
struct AnswerTests {
    private static let own = "0193a1f2-7c11-7b0e-9a55-0c7d7f4f5a01"

    private func judge(
        _ status: Int, _ type: String, _ body: String, isDebug: Bool = false
    ) -> Answer {
        Answer.judge(
            status: status, mediaType: type, body: Array(body.utf8), batchID: Self.own,
            isDebug: isDebug)
    }

    @Test("a code under its status means what the contract says, under another one nothing")
    func codes() {
        for code in AnswerCode.all {
            let body = "{\"code\":\"\(code.name)\",\"detail\":\"d\"}"
            let answer = judge(code.status, "application/problem+json", body)
            switch (code.treatment, answer) {
            case (.drop, .refused(code.name, "d")), (.hold, .held(code.name)),
                (.split, .tooLarge(code.name)), (.retry, .later), (.retrySmaller, .tookTooLong):
                break
            default: Issue.record("\(code.status) \(code.name) is \(answer)")
            }
            for (status, type) in [(599, "application/problem+json"), (code.status, "text/html")] {
                guard case .later = judge(status, type, body) else {
                    Issue.record("\(status) \(type) \(code.name) is believed")
                    continue
                }
            }
        }
    }

    @Test("only the server's own 200 is success")
    func success() {
        let good = "{\"batch_id\":\"\(Self.own)\",\"accepted\":2,\"rejected\":1}"
        #expect(judge(200, "application/json", good) == .stored(rejected: 1, verdicts: []))
        let dry = "{\"batch_id\":\"\(Self.own)\",\"accepted\":0,\"rejected\":0,\"dry_run\":true}"
        #expect(
            judge(200, "application/json", dry, isDebug: true)
                == .stored(rejected: 0, verdicts: []))
        for (status, type, body) in [
            (200, "text/html", good), (201, "application/json", good), (204, "", ""),
            (200, "application/json", "[]"), (200, "application/json", dry),
            (200, "application/json", String(good.dropLast())),
            (200, "application/json", good.replacing("0193", with: "0194")),
            (200, "application/json", good + String(repeating: " ", count: 65_536)),
        ] {
            guard case .later = judge(status, type, body) else {
                Issue.record("\(status) \(type) \(body.prefix(80)) is believed")
                continue
            }
        }
    }
}
