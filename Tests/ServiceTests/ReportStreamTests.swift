import Dispatch
import Events
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

    /// Counts the pages that it computes after the first.
    private struct CountedPages: ReportSource {
        let pages: Count
        private let segments = SegmentSource()

        init(_ pages: Count) { self.pages = pages }

        func rows(
            _ question: Question, as format: ReportFormat, unless known: [String],
            _ connection: Connection, _ interruption: Interruption
        ) throws -> SourcedRows {
            try segments.rows(question, as: format, unless: known, connection, interruption)
        }

        func lines(
            _ question: Question, of device: DeviceHash?, unless known: [String], limit: Int,
            _ connection: Connection, _ interruption: Interruption
        ) throws -> SourcedLines {
            try segments.lines(
                question, of: device, unless: known, limit: limit, connection, interruption)
        }

        func page(
            _ lines: inout ExportLines, limit: Int, _ connection: Connection,
            _ interruption: Interruption
        ) throws -> [[UInt8]] {
            pages.add()
            return try segments.page(&lines, limit: limit, connection, interruption)
        }
    }

    private func source(
        _ executor: ReportExecutor, failures: Count = Count(), pages: Count = Count(),
        answers: AnswerRoom = AnswerRoom(limit: 64 << 20), of site: ReportTestSite? = nil
    ) throws -> (source: ExportSource, whole: [UInt8]) {
        let site = site ?? self.site
        let queries = SegmentQueries(try site.store.reader())
        var lines = try site.pages
        let page = try ExportSource.page(&lines, queries, limit: 1)
        var rest = lines
        var whole = page
        while !rest.isDone { whole += try ExportSource.page(&rest, queries, limit: 1 << 20) }
        let source = try #require(
            ExportSource(
                lines, page: page, reports: executor, CountedPages(pages), answers: answers
            ) { _ in failures.add() })
        return (source, Array(whole.joined()))
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
        "pages come as they are taken, each wait ends with one wake, and the place is given back at the end",
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
        #expect(waits > 0 && wakes.value == waits)
        withExtendedLifetime((source, others)) { #expect(executor.takeStreamSlot() != nil) }
        #expect(executor.close())
    }

    @Test("while a page is computed there is nothing to take, and one beyond it is computed")
    func later() throws {
        let site = try ReportTestSite(events: 6000)
        let executor = site.executor()
        let pages = Count()
        let (source, _) = try source(executor, pages: pages, of: site)
        let gate = block(executor)
        let wakes = Count()
        source.begin { wakes.add() }
        var output: [UInt8] = []
        #expect(source.pull(into: &output, limit: 1 << 20) == .more)
        let first = output.count
        for _ in 0..<3 { #expect(source.pull(into: &output, limit: 1 << 20) == .later) }
        #expect(output.count == first && wakes.value == 0 && pages.value == 0)
        for _ in 0..<4 { gate.signal() }
        #expect(eventually { wakes.value == 1 })
        #expect(eventually { pages.value == 2 && executor.load.running == 0 })
        // Until some of the one that waits first is taken.
        #expect(source.pull(into: &output, limit: 1) == .more)
        #expect(executor.load.running == 0)
        while pages.value == 2, executor.load.running == 0 {
            try #require(source.pull(into: &output, limit: 1 << 20) == .more)
        }
        source.cancel()
        #expect(executor.close())
        #expect(wakes.value == 1)
    }

    @Test("pages grow where they are waited for and there is room for them, else they do not")
    func room() throws {
        let site = try ReportTestSite(events: 6000)
        for (limit, isLarge) in [(1 << 20, false), (64 << 20, true)] {
            let executor = site.executor()
            let (pages, answers) = (Count(), AnswerRoom(limit: limit))
            let (source, whole) = try source(executor, pages: pages, answers: answers, of: site)
            let wakes = Count()
            source.begin { wakes.add() }
            var (output, waits, held) = ([UInt8](), 0, 0)
            pulling: while true {
                var piece: [UInt8] = []
                let step = source.pull(into: &piece, limit: 1 << 20)
                output += piece
                held = max(held, answers.used)
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
            // 6000 lines of 1,200 bytes.
            #expect(isLarge ? pages.value < 9 : pages.value > 12, "\(pages.value)")
            #expect(isLarge ? held > 1 << 20 : held <= 1 << 20, "\(held)")
            #expect(executor.close())
            #expect(answers.used == 0)
        }
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
        #expect(wakes.value == 1 && failures.value == 1)
        #expect(source.pull(into: &output, limit: 1 << 20) == .failed)
    }
}
