import Foundation
import Testing

@testable import Service

/// sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3).
@Suite("what systemd says in the environment")
struct SystemdEnvironmentTests {
    private func environment(_ variables: [String: String]) throws -> SystemdEnvironment {
        try SystemdEnvironment(variables, process: 42)
    }

    @Test("without variables there is nobody to tell, no watchdog and no socket")
    func nothing() throws {
        let systemd = try environment([:])
        #expect(systemd.notifySocket == nil)
        #expect(systemd.watchdogPeriod == nil)
        #expect(systemd.sockets.isEmpty)
        #expect(try environment(["NOTIFY_SOCKET": ""]).notifySocket == nil)
    }

    @Test("microseconds become nanoseconds, for this process or for whoever reads them")
    func watchdog() throws {
        #expect(try environment(["WATCHDOG_USEC": "30"]).watchdogPeriod == 30_000)
        #expect(
            try environment(["WATCHDOG_USEC": "30", "WATCHDOG_PID": "42"]).watchdogPeriod == 30_000)
        #expect(
            try environment(["WATCHDOG_USEC": "30", "WATCHDOG_PID": "41"]).watchdogPeriod == nil)
    }

    @Test("descriptors count from 3, with their names or without")
    func sockets() throws {
        let named = try environment([
            "LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "listen:admin-listen",
        ])
        #expect(
            named.sockets == [
                .init(descriptor: 3, name: "listen"), .init(descriptor: 4, name: "admin-listen"),
            ])
        let unnamed = try environment(["LISTEN_PID": "42", "LISTEN_FDS": "1"])
        #expect(unnamed.sockets == [.init(descriptor: 3, name: "unknown")])
    }

    @Test("descriptors that are meant for another process are none of ours")
    func foreign() throws {
        #expect(try environment(["LISTEN_PID": "41", "LISTEN_FDS": "x"]).sockets.isEmpty)
        #expect(try environment(["LISTEN_FDS": "1"]).sockets.isEmpty)
    }

    @Test(
        "what makes no sense is a wrong setting that is named",
        arguments: [
            ("WATCHDOG_USEC", "0"), ("WATCHDOG_USEC", "-1"), ("WATCHDOG_USEC", "soon"),
            ("WATCHDOG_USEC", "9223372036854775807"), ("LISTEN_FDS", "-1"), ("LISTEN_FDS", "1025"),
            ("LISTEN_FDS", "two"), ("LISTEN_FDNAMES", "a:b:c"),
        ])
    func malformed(name: String, value: String) {
        var variables = ["LISTEN_PID": "42", "LISTEN_FDS": "2"]
        variables[name] = value
        let failure = #expect(throws: AdminFailure.self) { try environment(variables) }
        #expect(failure?.exit == .configuration)
        #expect(failure?.description.contains(name) == true)
    }

    @Test("they are removed, so that no child takes them for its own")
    func take() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "@x", 1)
            setenv("WATCHDOG_USEC", "30", 1)
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "1", 1)
            setenv("LISTEN_FDNAMES", "listen", 1)
            let systemd = try SystemdEnvironment.take()
            #expect(systemd.notifySocket == "@x")
            #expect(systemd.watchdogPeriod == 30_000)
            #expect(systemd.sockets == [.init(descriptor: 3, name: "listen")])
            for name in [
                "NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
            ] {
                #expect(getenv(name) == nil)
            }
        }
    }
}
