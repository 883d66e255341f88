import Foundation
import Testing

@testable import Client

@Suite("the account of what was sent")
struct SendReportTests {
    private func report() throws -> SendReport {
        var report = SendReport()
        let code = try #require(AnswerCode.find(status: 422, name: "invalid-batch"))
        let receipt = Answer.Receipt(
            batchID: "b-1", accepted: 3, rejected: 3,
            verdicts: [
                .init(index: 2, code: "invalid-time", detail: "time must be an integer"),
                .init(index: 7, code: "invalid-name", detail: "\u{1B}[31mred\n\u{9B}"),
            ])
        report.add("one.json", .init(answer: .stored(receipt), step: .done, attempts: 1))
        report.add(
            "two.json",
            .init(
                answer: .stored(
                    .init(batchID: "b-2", isDuplicate: true, accepted: 5, rejected: 0)),
                step: .done, attempts: 1))
        report.add(
            "three\u{7}.json",
            .init(
                answer: .refused(.init(code: code, detail: "give an id")),
                step: .drop, attempts: 1))
        report.add(
            "four.json",
            .init(
                answer: .unusable(.init(status: nil, reason: "cannot ask x: refused")),
                step: .retry(milliseconds: 1, smaller: false), attempts: 4))
        report.add(
            "five.json",
            .init(
                answer: .unusable(.init(status: nil, reason: "cannot ask x: timed out; try again")),
                step: .retry(milliseconds: 1, smaller: false), attempts: 4))
        return report
    }

    @Test("people read a line for each batch and each rejection, without control characters")
    func text() throws {
        let report = try report()
        #expect(
            report.text == """
                one.json: 200, 3 accepted, 3 rejected
                  event 2: invalid-time: time must be an integer
                  event 7: invalid-name: \\x1B[31mred\\x0A\\xC2\\x9B
                  and 1 more
                two.json: 200 (repeat), 5 accepted, 0 rejected
                three\\x07.json: 422 invalid-batch: give an id; the server will never take it as it is
                four.json: cannot ask x: refused; try again later
                five.json: cannot ask x: timed out; try again later

                """)
        #expect(!report.allTaken)
    }

    @Test("programs read one object")
    func json() throws {
        let json = try JSONSerialization.jsonObject(with: Data(report().json))
        let value = try #require(json as? [String: Any])
        #expect(value["accepted"] as? Int == 8)
        #expect(value["rejected"] as? Int == 3)
        let batches = try #require(value["batches"] as? [[String: Any]])
        #expect(
            batches.map { $0["outcome"] as? String } == [
                "accepted", "accepted", "dropped", "failed", "failed",
            ])
        #expect(batches[0]["batch_id"] as? String == "b-1")
        let rejections = try #require(batches[0]["rejections"] as? [[String: Any]])
        #expect(rejections.map { $0["index"] as? Int } == [2, 7])
        #expect(batches[1]["duplicate"] as? Bool == true)
        #expect(batches[2]["code"] as? String == "invalid-batch")
        #expect(batches[3]["status"] is NSNull)
        #expect(batches[3]["attempts"] as? Int == 4)
    }

    @Test("nothing sent is all taken")
    func nothing() {
        #expect(SendReport().allTaken)
        #expect(SendReport().text.isEmpty)
        #expect(
            String(decoding: SendReport().json, as: UTF8.self)
                == #"{"batches":[],"accepted":0,"rejected":0}"#)
    }
}
