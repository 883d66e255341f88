import Dispatch
import HTTP1
import Query
import Reports
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Database
@testable import Service

/// An export between its pages and its reader.
@Suite("streaming an export", .serialized)
struct ReportStreamTests {
    private let site: ReportTestSite

    init() throws { site = try ReportTestSite(events: 1000) }

    private final class Count: Sendable {
        private let number = Atomic(0)
        var value: Int { number.load(ordering: .relaxed) }
        func add() { number.add(1, ordering: .relaxed) }
    }

    private func source(
        _ executor: ReportExecutor, failures: Count = Count()
    ) throws -> (source: ExportSource, whole: [UInt8]) {
        let queries = SegmentQueries(try site.store.reader())
        var pages = try site.pages
        let page = try ExportSource.page(&pages, queries, limit: 1)
        var rest = pages
        var whole = page
        while !rest.isDone { whole += try ExportSource.page(&rest, queries, limit: 1 << 20) }
        let source = try #require(
            ExportSource(
                pages, page: page, reports: executor, answers: AnswerRoom(limit: 1 << 20)
            ) { _ in failures.add() })
        return (source, whole)
    }

    /// Occupies all lanes until it is let go.
    private func block(_ executor: ReportExecutor) -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<4 {
            _ = executor.submit { _, _ in
                gate.wait(); return {}
            } failed: { _ in
            }
        }
        return gate
    }

    @Test(
        "pages come as they are taken, each with one wake, and the place is given back at the end",
        arguments: [100, 5000, 1 << 20])
    func pages(limit: Int) throws {
        let executor = site.executor()
        let (source, whole) = try source(executor)
        let others = (0..<3).map { _ in executor.takeStreamSlot() }
        #expect(executor.takeStreamSlot() == nil)
        let wakes = Count()
        source.begin { wakes.add() }
        var output: [UInt8] = []
        var waits = 0
        pulling: while true {
            let before = output.count
            let step = source.pull(into: &output, limit: limit)
            #expect(output.count - before <= limit)
            switch step {
            case .more: continue
            case .later:
                waits += 1
                try #require(eventually { wakes.value >= waits })
            case .end: break pulling
            case .failed:
                Issue.record("failed")
                break pulling
            }
        }
        #expect(output == whole)
        #expect(waits == (whole.count - 1) / ExportSource.pageSize + 1 && wakes.value == waits)
        withExtendedLifetime((source, others)) { #expect(executor.takeStreamSlot() != nil) }
        #expect(executor.close())
    }

    @Test("while a page is computed there is nothing to take, and nothing beyond it is computed")
    func later() throws {
        let executor = site.executor()
        let (source, _) = try source(executor)
        let gate = block(executor)
        let wakes = Count()
        source.begin { wakes.add() }
        var output: [UInt8] = []
        #expect(source.pull(into: &output, limit: 1 << 20) == .more)
        let first = output.count
        for _ in 0..<3 { #expect(source.pull(into: &output, limit: 1 << 20) == .later) }
        #expect(output.count == first && wakes.value == 0)
        for _ in 0..<4 { gate.signal() }
        #expect(eventually { wakes.value == 1 })
        #expect(source.pull(into: &output, limit: 1 << 20) == .more)
        #expect(executor.close())
        #expect(wakes.value == 1)
    }

    @Test("cancelled while its page waits, it loses its turn, is not woken, gives its place back")
    func cancel() throws {
        let executor = site.executor()
        let (source, _) = try source(executor)
        let others = (0..<3).map { _ in executor.takeStreamSlot() }
        let gate = block(executor)
        let (wakes, failures) = (Count(), Count())
        source.begin { wakes.add() }
        var output: [UInt8] = []
        _ = source.pull(into: &output, limit: 1 << 20)
        #expect(source.pull(into: &output, limit: 1 << 20) == .later)
        source.cancel()
        withExtendedLifetime((source, others)) { #expect(executor.takeStreamSlot() != nil) }
        for _ in 0..<4 { gate.signal() }
        #expect(executor.close())
        #expect(wakes.value == 0 && failures.value == 0)
    }

    @Test("a page that fails ends the answer as broken, and is told once")
    func failure() throws {
        let executor = site.executor()
        let (wakes, failures) = (Count(), Count())
        let (source, _) = try source(executor, failures: failures)
        let others = (0..<3).map { _ in executor.takeStreamSlot() }
        let writer = try Connection(path: site.store.directory.database, mode: .write)
        try writer.execute("UPDATE batch SET attribute_keys = 'none'")
        source.begin { wakes.add() }
        var output: [UInt8] = []
        #expect(source.pull(into: &output, limit: 1 << 20) == .more)
        #expect(source.pull(into: &output, limit: 1 << 20) == .later)
        #expect(eventually { wakes.value == 1 })
        #expect(source.pull(into: &output, limit: 1 << 20) == .failed)
        #expect(source.pull(into: &output, limit: 1 << 20) == .failed)
        #expect(failures.value == 1)
        withExtendedLifetime((source, others)) { #expect(executor.takeStreamSlot() != nil) }
        #expect(executor.close())
    }

    @Test("a server that ends breaks the answer")
    func closing() throws {
        let executor = site.executor()
        let (wakes, failures) = (Count(), Count())
        let (source, _) = try source(executor, failures: failures)
        source.begin { wakes.add() }
        #expect(executor.close())
        var output: [UInt8] = []
        #expect(source.pull(into: &output, limit: 1 << 20) == .more)
        #expect(source.pull(into: &output, limit: 1 << 20) == .later)
        #expect(wakes.value == 1 && failures.value == 1)
        #expect(source.pull(into: &output, limit: 1 << 20) == .failed)
    }
}
