import Events

/// What becomes of an OTLP log record: one table, from which code, tests and docs/opentelemetry.md are made.
/// What is not in it is ignored.
package enum LogMapping {
    /// Resource attributes that say which device it is: the first alone counts where it is there with a value.
    package static let identities = Resource.identities
    /// The attribute that is a record's name where the field is empty.
    package static let nameAttribute = "event.name"
    /// Attributes of records that are never stored.
    package static let unstored = [nameAttribute] + identities

    /// All keys that mean something, of resources or records.
    static let keys =
        Resource.members + unstored + lifecycleAttributes + [StandardAttribute.sessionID.key]

    /// The event that says that an app came or went.
    package static let lifecycleEvent = "device.app.lifecycle"
    /// Its attributes, one of which has to be there, and `session.id`.
    package static let lifecycleAttributes = ["android.app.state", "ios.app.state"]
    /// By the value of that attribute; others leave the event what it is.
    package static let lifecycleStates: [(state: String, event: StandardEvent)] = [
        ("foreground", .sessionResume), ("background", .sessionEnd), ("terminate", .sessionEnd),
    ]

    /// The whole of it for people, in Markdown: what is sent, and what it becomes.
    package static let rows: [(sent: String, becomes: String)] =
        [
            (
                "resource attribute " + code(identities, or: " or "),
                "the device's identity: a string of 1–\(BatchLimit.deviceID) bytes; the second counts only where the first has no value"
            )
        ]
        + Resource.members.map { member in
            (
                "resource attribute `\(member)`",
                "the same member of the resource, cut to \(BatchLimit.resourceMember) bytes"
            )
        } + [
            (
                "all other resource attributes, `service.name` too",
                "ignored: the token names the app"
            ),
            (
                "`event_name`, or if it is empty the attribute `\(nameAttribute)`",
                "the event's name"
            ),
            (
                "`time_unix_nano`, or if it is 0 `observed_time_unix_nano`",
                "the event's time, rounded down to milliseconds"
            ),
            (
                "`attributes`",
                "the event's attributes, but for " + code(unstored, or: ", ")
                    + ", which are never stored"
            ),
            (
                "body, severity, trace and span id, flags, dropped counts, scope, schema URLs",
                "ignored"
            ),
        ]
        + lifecycleStates.map { state, event in
            (
                "`\(lifecycleEvent)` with `session.id` and " + code(lifecycleAttributes, or: " or ")
                    + " = `\(state)`", "`\(event.name)` with the same attributes"
            )
        } + [
            (
                "every other name: other states, `app.screen.*`, `app.widget.*`, `app.crash`, …",
                "the event of that name"
            )
        ]

    /// What becomes of a value.
    package static let values: [(sent: String, becomes: String)] = [
        ("string", "itself"),
        ("bool", "itself"),
        ("int within ±(2^53−1)", "itself"),
        ("other int", "a string of its digits"),
        ("finite double", "itself"),
        ("NaN, ∞, −∞", "the string `NaN`, `Infinity`, `-Infinity`"),
        ("bytes", "a string: base64 with padding"),
        (
            "array, kvlist",
            "a string: its JSON, keys in order (RFC 8785), every int with all its digits, what has no value `null`"
        ),
        ("none", "no attribute"),
    ]

    private static func code(_ names: [String], or separator: String) -> String {
        names.map { "`\($0)`" }.joined(separator: separator)
    }
}
