import Query
import Reports
import Testing

@testable import Service

@Suite("reports that wait")
struct ReportLineTests {
    private let memory = ReportMemory(limit: .max)

    private func job(_ token: Int64?) -> ReportJob {
        ReportJob(memory.account(of: token), continuesStream: false) { _, _ in
            {}
        } failed: { _ in
        }
    }

    @Test("are taken in turn token by token, those of one in the order in which they came")
    func turns() {
        var line = ReportLine()
        line.note(1)
        let jobs = [1, 1, 1, 2, 2, 3, nil].map(job)
        for job in jobs { line.append(job) }
        var order: [Int] = []
        while let next = line.take() { order.append(jobs.firstIndex { $0 === next } ?? -1) }
        #expect(order == [3, 5, 6, 0, 4, 1, 2])
        #expect(line.count == 0)
    }

    @Test("give way to another token's, the last of the token of which most wait")
    func givingWay() {
        var line = ReportLine()
        let jobs = [1, 2, 1, 1].map(job)
        for job in jobs { line.append(job) }
        #expect(line.giveWay(to: 1) == nil)
        #expect(line.giveWay(to: 3) === jobs[3])
        #expect(line.giveWay(to: 2) == nil)
        #expect(line.giveWay(to: 3) === jobs[2])
        #expect(line.giveWay(to: 3) == nil)
        #expect(line.count == 2)
    }
}
