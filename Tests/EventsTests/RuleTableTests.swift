import Events
import Testing

@Suite("Tables of rules")
struct RuleTableTests {
    @Test("batch rules stand in the contract's order")
    func batchOrder() {
        #expect(
            BatchRule.allCases.map(\.code) == [
                "malformed-json", "too-many-elements", "unsupported-schema", "invalid-batch",
                "invalid-batch", "invalid-batch", "invalid-batch", "invalid-resource",
                "invalid-device-id", "invalid-resource", "invalid-batch", "too-many-events",
            ])
        #expect(BatchRule.allCases == BatchRule.allCases.sorted())
    }

    @Test("event rules stand in the contract's order")
    func eventOrder() {
        #expect(
            EventRule.allCases.map(\.code) == [
                "invalid-event", "not-an-event", "invalid-name", "invalid-time",
                "time-out-of-range",
            ] + [String](repeating: "invalid-attribute", count: 10) + [
                "missing-attribute", "invalid-attribute", "too-many-names",
            ])
        #expect(EventRule.allCases == EventRule.allCases.sorted())
        #expect(
            EventRule.codes == [
                "invalid-event", "not-an-event", "invalid-name", "invalid-time",
                "time-out-of-range",
                "invalid-attribute", "missing-attribute", "too-many-names",
            ])
    }

    @Test("a detail is one sentence on one line, and no two rules share one")
    func details() {
        let details = BatchRule.allCases.map(\.detail) + EventRule.allCases.map(\.detail)
        #expect(Set(details).count == details.count)
        for detail in details {
            #expect(!detail.isEmpty && !detail.contains("\n") && !detail.hasSuffix("."))
        }
    }

    @Test("standard events require what the contract says")
    func standardEvents() {
        let required = StandardEvent.allCases.map { ($0.name, $0.required.key) }
        let expected = [
            ("session.start", "session.id"), ("session.resume", "session.id"),
            ("session.end", "session.id"), ("screen.view", "app.screen.name"),
            ("usage.counter", "counter.name"), ("content.view", "content.id"),
            ("content.complete", "content.id"), ("video.enter_fullscreen", "video.id"),
            ("video.exit_fullscreen", "video.id"), ("webview.event", "webview.event.name"),
        ]
        #expect(required.map(\.0) == expected.map(\.0))
        #expect(required.map(\.1) == expected.map(\.1))
        #expect(StandardEvent.allCases.filter { $0.optional != nil } == [.usageCounter])
        #expect(StandardEvent.usageCounter.optional == .counterValue)
        #expect(StandardAttribute.counterValue.form == .integer(1...1_000_000_000))
        #expect(StandardAttribute.sessionID.form == .text(1...64))
        #expect(StandardAttribute.screenName.form == .text(1...128))
        #expect(StandardEvent.allCases.allSatisfy { !$0.meaning.isEmpty })
    }

    @Test("profiles have the numbers that the database keeps")
    func profiles() {
        #expect(Profile.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect(Profile.allCases.map(\.name) == ["aes128gcm", "jwe", "plain", "legacy", "otlp"])
        for profile in Profile.allCases { #expect(Profile(name: profile.name) == profile) }
        #expect(Profile(name: "AES128GCM") == nil)
    }
}
