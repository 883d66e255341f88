import Compression
import Dispatch
import Ingest
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Service

/// Bodies that wait for a judge (docs/operation.md, Settings).
@Suite("judges")
struct BodyJudgesTests {
    /// Judges of a site, and bodies for them.
    private struct Bench {
        let site: ReportTestSite
        let judges: BodyJudges
        let plain: AdmittedBatch
        let zipped: AdmittedBatch
        let gate = DispatchSemaphore(value: 0)
        let done = Done()

        final class Done: Sendable {
            let short = Atomic<Int>(0)
            let long = Atomic<Int>(0)
        }

        init(count: Int) throws {
            site = try ReportTestSite()
            let registry = site.store.registry
            _ = try registry.setApp("shop", AppChange(allowsPlain: true))
            let token = try registry.addToken(scope: .ingest, app: "shop").text
            let keys = KeysInForce(registry)
            let directory = keys.directory
            func batch(_ codings: [String]) throws -> AdmittedBatch {
                let admission = try Admission(
                    app: try #require(directory.app(named: "shop")),
                    format: try BodyFormat(contentType: "application/json", codings: codings),
                    authorization: "Bearer \(token)", access: directory)
                return AdmittedBatch(admission: admission, isDryRun: true, directory: directory)
            }
            plain = try batch([])
            zipped = try batch(["gzip"])
            judges = BodyJudges(
                count: count,
                limits: IngestLimits(
                    maxInflatedBytes: 8 << 20, maxBatchEvents: 5000, maxEventAge: 1),
                pepper: [], keys: keys, rateLimiter: nil)
        }

        /// A body of so many bytes of JSON. Its judge is held until a gate opens: that of all, if no other is given.
        func judge(
            bytes: Int, isZipped: Bool = false, isHeld: Bool = true,
            at other: DispatchSemaphore? = nil
        ) -> Bool {
            let gate = other ?? gate
            let text = #"{"batch_id":"b","resource":{"device.id":"d"},"events":[]}"#
            let json = Array(text.utf8) + [UInt8](repeating: 32, count: bytes - text.utf8.count)
            let body = isZipped ? Gzip.compress(json.span) : json
            let isLong = bytes > BodyJudges.shortBytes
            return judges.judge(
                WholeBody(body.span, isZipped ? zipped : plain, arrival: 1_763_700_000_000)
            ) { [done] judgement in
                if case .success = judgement?.verdict {} else { return }
                if isLong {
                    done.long.add(1, ordering: .sequentiallyConsistent)
                } else {
                    done.short.add(1, ordering: .sequentiallyConsistent)
                }
                if isHeld { gate.wait() }
            }
        }

        var short: Int { done.short.load(ordering: .sequentiallyConsistent) }
        var long: Int { done.long.load(ordering: .sequentiallyConsistent) }

        func open(_ count: Int) { for _ in 0..<count { gate.signal() } }
    }

    @Test("whatever long bodies there are, one judge is free for short ones", arguments: [1, 2])
    func shortOnes(count: Int) throws {
        let bench = try Bench(count: count)
        for _ in 0..<5 { #expect(bench.judge(bytes: (256 << 10) + 1)) }
        #expect(eventually { bench.long == count })
        for number in 1...3 {
            #expect(bench.judge(bytes: 256 << 10, isHeld: false))
            #expect(eventually { bench.short == number })
        }
        #expect(bench.long == count)
        bench.open(5)
        #expect(eventually { bench.long == 5 })
    }

    @Test("where there are no long bodies short ones have all judges; a long one is the next")
    func allJudges() throws {
        let bench = try Bench(count: 2)
        // The judge of short bodies alone gets the first, and is held until the long one has its judge.
        let first = DispatchSemaphore(value: 0)
        #expect(bench.judge(bytes: 1000, at: first))
        for _ in 0..<4 { #expect(bench.judge(bytes: 1000)) }
        #expect(eventually { bench.short == 3 })
        #expect(bench.judge(bytes: 1 << 20, isHeld: false))
        bench.open(1)
        #expect(eventually { bench.long == 1 })
        first.signal()
        bench.open(3)
        #expect(eventually { bench.short == 5 })
    }

    @Test(
        "one that is sent small and inflates to more is found out, and waits with the long ones")
    func inflated() throws {
        let bench = try Bench(count: 1)
        for _ in 0..<3 { #expect(bench.judge(bytes: 1 << 20, isZipped: true)) }
        #expect(eventually { bench.long == 1 })
        for number in 1...3 {
            #expect(bench.judge(bytes: 200 << 10, isZipped: true, isHeld: false))
            #expect(eventually { bench.short == number })
        }
        #expect(bench.long == 1)
        bench.open(3)
        #expect(eventually { bench.long == 3 })
    }
}
