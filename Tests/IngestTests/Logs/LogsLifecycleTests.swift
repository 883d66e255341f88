import Events
import Testing

@testable import Ingest

/// spec: OpenTelemetry, The mapping: what events become.
@Suite("an event of OpenTelemetry")
struct LogsLifecycleTests {
    private func stored(_ name: String?, _ attributes: SentAttributes) throws -> StoredEvent? {
        let events = try Logs.events(SentRecord(name, attributes))
        #expect(events.count == 1)
        return events.first
    }

    @Test("of the app's life becomes one of a session", arguments: LogMapping.lifecycleAttributes)
    func states(key: String) throws {
        #expect(
            LogMapping.lifecycleStates.map(\.state) == ["foreground", "background", "terminate"])
        for (state, event) in LogMapping.lifecycleStates {
            let sent: SentAttributes = ["session.id": "s", SentText(key): .text(state), "z": 1]
            let expected = [key: "\"\(state)\"", "z": "1"]
            let inAttribute: SentAttributes = ["event.name": .text(LogMapping.lifecycleEvent)]
            let forms: [(String?, SentAttributes)] = [
                (LogMapping.lifecycleEvent, [:]), (nil, inAttribute),
            ]
            for (name, more) in forms {
                let stored = try stored(name, sent + more)
                #expect(stored?.name == event.name && stored?.session == "s")
                #expect(stored?.attributes == expected)
            }
        }
        #expect(
            LogMapping.lifecycleStates.map(\.event) == [.sessionResume, .sessionEnd, .sessionEnd])
    }

    /// Attributes with which it stays what it is.
    static let others: [SentAttributes] = [
        [:], ["session.id": "s"], ["ios.app.state": "background"],
        ["session.id": .empty, "ios.app.state": "background"],
        ["session.id": "s", "ios.app.state": "active"], ["session.id": "s", "ios.app.state": 1],
        ["session.id": "s", "ios.app.state": "Background"],
        ["session.id": "s", "ios.app.state": "background "],
        ["session.id": "s", "ios.app.state": ""],
        ["session.id": "s", "ios.app.state": ["background"]],
        ["session.id": "s", "ios.app.state": .empty],
        ["session.id": "s", "app.state": "background"],
        ["session.id": "s", "ios.app.state": .bytes([0x6d, 0xa7, 0xa4, 0x82, 0x8b, 0xa7, 0x76])],
        ["session.id": "s", "ios.app.state": "background", "ios.app.state": "inactive"],
        ["session.id": "s", "ios.app.state": "background", "android.app.state": "background"],
    ]

    @Test("of the app's life is the app's own else", arguments: others.indices)
    func otherStates(case index: Int) throws {
        #expect(
            try stored(LogMapping.lifecycleEvent, Self.others[index])?.name
                == "device.app.lifecycle")
    }

    @Test("of the app's life is that of the platform that has a value")
    func platforms() throws {
        let sent: SentAttributes = [
            "session.id": "s", "android.app.state": .empty, "ios.app.state": "foreground",
        ]
        #expect(try stored(LogMapping.lifecycleEvent, sent)?.name == "session.resume")
    }

    @Test("of the app's life has to have a good session where it becomes one of a session")
    func badSession() throws {
        let long = SentValue.text(String(repeating: "s", count: 65))
        for value in [long, 5, ""] {
            let sent: SentAttributes = ["session.id": value, "ios.app.state": "background"]
            #expect(
                try Logs.code(SentRecord(LogMapping.lifecycleEvent, sent)) == "invalid-attribute")
        }
    }

    @Test("of another name is the event of that name")
    func names() throws {
        for name in [
            "app.screen.click", "app.widget.click", "app.crash", "app.jank", "browser.page_view",
            "device.app.lifecycle.x", "device.app.lifecycl", "session.foo",
        ] {
            let sent: SentAttributes = ["session.id": "s", "ios.app.state": "background"]
            #expect(try stored(name, sent)?.name == name)
        }
        let sent: SentAttributes = ["session.id": "new", "session.previous_id": "old"]
        let start = try stored("session.start", sent)
        #expect(start?.name == "session.start" && start?.session == "new")
        #expect(start?.attributes == ["session.previous_id": #""old""#])
    }

    @Test(
        "of a name that all apps mean the same by keeps its rules",
        arguments: StandardEvent.allCases)
    func standard(event: StandardEvent) throws {
        let key = SentText(event.required.key)
        guard case .text(let lengths) = event.required.form else {
            Issue.record("\(event.required.key) is no text")
            return
        }
        let longest = String(repeating: "x", count: lengths.upperBound)
        #expect(try stored(event.name, [key: .text(longest), "more": 1])?.name == event.name)
        for (attributes, code) in [
            ([:], "missing-attribute"), ([key: .empty], "missing-attribute"),
            ([key: .text(longest + "x")], "invalid-attribute"), ([key: ""], "invalid-attribute"),
            ([key: 5], "invalid-attribute"), ([key: false], "invalid-attribute"),
        ] as [(SentAttributes, String)] {
            #expect(try Logs.code(SentRecord(event.name, attributes)) == code)
        }
    }
}
