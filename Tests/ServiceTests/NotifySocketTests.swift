import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Service

/// sd_notify(3).
@Suite("what systemd is told")
struct NotifySocketTests {
    private let logged = LoggedLines()
    private var logger: Logging.Logger {
        let logged = logged
        return Logger(label: "test") { _ in logged.handler }
    }

    @Test("states are assignments, one a line")
    func states() {
        #expect(ServiceState.ready.text == "READY=1")
        #expect(ServiceState.stopping.text == "STOPPING=1")
        #expect(ServiceState.watchdog.text == "WATCHDOG=1")
        #expect(ServiceState.reloading(at: 7).text == "RELOADING=1\nMONOTONIC_USEC=7")
        #expect(ServiceState.status("a\nSTOPPING=1").text == "STATUS=a STOPPING=1")
    }

    @Test("a message is one datagram, at a path and at an abstract name", arguments: [false, true])
    func told(isAbstract: Bool) throws {
        let receiver = try NotifyReceiver(isAbstract: isAbstract)
        let socket = NotifySocket(receiver.name, logger)
        socket.tell(.ready, .status("listening"))
        socket.tell(.watchdog)
        #expect(receiver.next() == "READY=1\nSTATUS=listening")
        #expect(receiver.next() == "WATCHDOG=1")
        #expect(logged.lines.isEmpty)
    }

    @Test("without a name nobody is told, and nothing is logged")
    func nobody() {
        NotifySocket(nil, logger).tell(.ready)
        #expect(logged.lines.isEmpty)
    }

    @Test(
        "a name that is none, and a manager that is gone, are one warning each",
        arguments: [
            "vsock:2:1", "@", "relative", "/" + String(repeating: "x", count: 107),
            "/nowhere/notify",
        ])
    func unusable(name: String) {
        let socket = NotifySocket(name, logger)
        socket.tell(.ready)
        socket.tell(.stopping)
        #expect(logged.lines.count == 1)
        #expect(logged.lines.first?.hasPrefix("cannot tell systemd") == true)
    }

    @Test("a reload and a failure are told only while the service serves")
    func notices() throws {
        let receiver = try NotifyReceiver(isAbstract: false)
        let notices = ServiceNotices(NotifySocket(receiver.name, logger))
        notices.reloading {}
        notices.failing("early")
        notices.serving(at: ["127.0.0.1:1", "[::1]:2"])
        notices.failing("the disk is full")
        notices.recovered()
        notices.reloading {}
        notices.stopping("SIGTERM")
        notices.reloading {}
        notices.recovered()
        let listening = "STATUS=listening on 127.0.0.1:1, [::1]:2"
        #expect(receiver.next() == "READY=1\n" + listening)
        #expect(receiver.next() == "STATUS=cannot store: the disk is full")
        #expect(receiver.next() == listening)
        #expect(receiver.next()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        #expect(receiver.next() == "READY=1")
        #expect(receiver.next() == "STOPPING=1\nSTATUS=stopping: SIGTERM")
        #expect(receiver.isEmpty)
    }
}
