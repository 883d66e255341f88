import Glibc
import HTTP1
import Sockets
import Synchronization
import TestSupport
import Testing

extension Serving {
    /// Whether the loops turn, as others find out.
    @Suite struct LoopCallTests {
        @Test("a call reaches every loop once, but one that stands only when it turns again")
        func callOnLoops() throws {
            let site = TestSite()
            let server = try site.start(loops: 3)
            defer { server.end() }
            #expect(server.loops == 3)
            let answers = CallCount()
            server.callOnLoops { answers.value.add(1, ordering: .relaxed) }
            #expect(eventually { answers.now == 3 })
            let client = try TestClient(server.address)
            client.send(get("/block"))
            #expect(eventually { site.handled == 1 })
            server.callOnLoops { answers.value.add(1, ordering: .relaxed) }
            #expect(eventually { answers.now == 5 })
            site.board.gate.signal()
            #expect(eventually { answers.now == 6 })
            #expect(client.statuses(1) == [200])
        }

        @Test("answers that are given together reach their clients once the last is given")
        func together() throws {
            let site = TestSite()
            let server = try site.start(loops: 2)
            defer { server.end() }
            let answers = CallCount()
            server.answeringTogether {
                server.callOnLoops { answers.value.add(1, ordering: .relaxed) }
                server.answeringTogether {
                    server.callOnLoops { answers.value.add(1, ordering: .relaxed) }
                }
                // Two idle loops would have turned long since.
                usleep(50_000)
                #expect(answers.now == 0)
            }
            #expect(eventually { answers.now == 4 })
            server.callOnLoops { answers.value.add(1, ordering: .relaxed) }
            #expect(eventually { answers.now == 6 })
        }
    }
}

private final class CallCount: Sendable {
    let value = Atomic<Int>(0)
    var now: Int { value.load(ordering: .relaxed) }
}
