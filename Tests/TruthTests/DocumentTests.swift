import Testing

@testable import Truth

@Suite("the truth document")
struct DocumentTests {
    @Test("threads that each counted some of the devices write the same together")
    func merging() throws {
        let whole = try Shop.truth()
        for parts in [2, 3] {
            var truths = try (0..<parts).map { _ in Truth(try Shop.scope()) }
            // Names come in another order to each.
            for (index, device) in Shop.devices.enumerated().reversed() {
                truths[index % parts].add(device)
            }
            for other in truths.dropFirst() { truths[0].merge(other) }
            #expect(truths[0].document() == whole)
        }
        var late = Truth(try Shop.scope())
        var other = Truth(try Shop.scope())
        for device in Shop.devices.dropFirst(3) { other.add(device) }
        late.merge(other)
        for device in Shop.devices.prefix(3) { late.add(device) }
        #expect(late.document() == whole)
    }

    @Test("a row has a line of its own")
    func lines() throws {
        let document = String(decoding: try Shop.truth(), as: UTF8.self)
        let lines = document.split(separator: "\n")
        #expect(
            lines[0]
                == #"{"truth":1,"app":"shop","time_zone":"Europe/Paris","from":"2026-03-28","to":"2026-04-30","session_timeout_ms":1800000,"questions":["#
        )
        #expect(
            lines[1]
                == #"{"report":"active","parameters":[["from","2026-03-28"],["to","2026-04-30"],["tz","Europe/Paris"],["interval","day"]],"columns":["date","active","active_7d","active_30d","new","stickiness"],"keys":1,"members":{},"rows":["#
        )
        #expect(lines[2] == #"["2026-03-28",1,1,1,1,1.000000],"#)
        #expect(lines[36] == "]},")
        #expect(document.contains(#",{"from":"#) && document.hasSuffix("\n]}\n]}\n"))
    }

    @Test("every question is another")
    func questions() throws {
        let book = try AnswerBook(try Shop.truth())
        let asked = book.questions.map {
            ($0["report"]?.json ?? "") + ($0["parameters"]?.json ?? "")
        }
        #expect(asked.count == 48 && Set(asked).count == 48)
    }

    @Test("where no batch was moved all figures are exact, but how late events came")
    func exact() throws {
        var devices = Shop.devices
        for device in devices.indices {
            for batch in devices[device].batches.indices {
                devices[device].batches[batch].isCorrected = false
            }
        }
        let book = try AnswerBook(try Shop.truth(devices))
        for (number, question) in book.questions.enumerated() {
            for row in book.rows(number) {
                let vague = zip(book.columns(number), row).filter { column, cell in
                    if case .exactly = Meant(cell) { return false }
                    return !column.hasPrefix("late")
                }
                #expect(vague.isEmpty, "\(question["report"]?.json ?? ""): \(vague)")
            }
        }
    }
}
