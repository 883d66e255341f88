import Testing

@testable import Client

@Suite("the account of what was sent")
struct SendReportTests {
    private var report: SendReport {
        var report = SendReport()
        let receipt = Answer.Receipt(
            batchID: "b-1", accepted: 3, rejected: 3,
            rejections: [
                .init(index: 2, code: "invalid-time", detail: "time must be an integer"),
                .init(index: 7, code: "invalid-name", detail: "\u{1B}[31mred\n\u{9B}"),
            ])
        report.add("one.json", .init(answer: .accepted(receipt), step: .done, attempts: 1))
        report.add(
            "two.json",
            .init(
                answer: .accepted(.init(batchID: "b-2", isDuplicate: true, accepted: 5)),
                step: .done, attempts: 1))
        report.add(
            "three\u{7}.json",
            .init(
                answer: .refused(.init(status: 422, code: "invalid-batch", detail: "give an id")),
                step: .drop, attempts: 1))
        report.add(
            "four.json",
            .init(
                answer: .unusable(.init(status: nil, reason: "cannot ask x: refused")),
                step: .retry(milliseconds: 1, smaller: false), attempts: 4))
        return report
    }

    @Test("people read a line for each batch and each rejection, without control characters")
    func text() {
        #expect(
            report.text == """
                one.json: 200, 3 accepted, 3 rejected
                  event 2: invalid-time: time must be an integer
                  event 7: invalid-name: \\x1B[31mred\\x0A\\xC2\\x9B
                  and 1 more
                two.json: 200 (repeat), 5 accepted, 0 rejected
                three\\x07.json: 422 invalid-batch: give an id; the server will never take it as it is
                four.json: cannot ask x: refused; try again later

                """)
        #expect(!report.allTaken)
    }

    @Test("programs read one object")
    func json() throws {
        let value = try #require(AnswerValue(report.json))
        #expect(value["accepted"]?.integer == 8)
        #expect(value["rejected"]?.integer == 3)
        guard case .array(let batches) = value["batches"] else {
            Issue.record("no batches")
            return
        }
        #expect(
            batches.map { $0["outcome"]?.string } == ["accepted", "accepted", "dropped", "failed"])
        #expect(batches[0]["batch_id"]?.string == "b-1")
        guard case .array(let rejections) = batches[0]["rejections"] else {
            Issue.record("no rejections")
            return
        }
        #expect(rejections.map { $0["index"]?.integer } == [2, 7])
        #expect(batches[1]["duplicate"]?.bool == true)
        #expect(batches[2]["code"]?.string == "invalid-batch")
        #expect(batches[3]["status"] == .null)
        #expect(batches[3]["attempts"]?.integer == 4)
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
