import Events
import HTTP1
import Ingest
import Reports
import Testing

@testable import Service

@Suite("problems")
struct ProblemTests {
    @Test(
        "every refusal of HTTP has the status that its code's row has",
        arguments: RequestRefusal.allCases)
    func statuses(refusal: RequestRefusal) {
        #expect(Problem(http: refusal).code.status == refusal.status)
    }

    @Test("every rule of a batch has the code that it names itself", arguments: BatchRule.allCases)
    func codes(rule: BatchRule) {
        #expect(Problem(ingest: .rule(rule)).code.rawValue == rule.code)
    }

    @Test("what is to be tried again says when", arguments: ProblemCode.allCases)
    func retryAfter(code: ProblemCode) {
        // The same question would be too large again.
        let mustSay = [429, 503, 507].contains(code.status) && code != .reportTooLarge
        #expect((code.row.retryAfter != nil) == mustSay)
        #expect(code.row.detail.hasSuffix("."))
    }

    @Test("a time zone that is gone is 409, and no matter of a parameter")
    func timeZoneGone() {
        let problem = Problem(report: ReportError(.timeZoneGone, "tzdata lacks it"))
        #expect(problem.code == .timeZoneGone && problem.code.status == 409)
        #expect(problem.detail == "On the server tzdata lacks it.")
        #expect(Problem(report: .missing("app")).detail == "Parameter: app is required.")
    }

    @Test("an answer has exactly the members of the contract")
    func members() {
        let response = Response.problem(Problem(.unknownKey))
        #expect(response.status == 401)
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"type":"about:blank","title":"Unauthorized","status":401,"code":"unknown-key","detail":"Use a key id of this app."}"#
        )
        #expect(
            response.fields.contains {
                $0.name.description == "WWW-Authenticate" && $0.value == "Bearer"
            })
    }
}
