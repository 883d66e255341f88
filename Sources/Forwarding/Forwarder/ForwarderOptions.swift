/// How a node hands over (docs/scale.md, Settings).
package struct ForwarderOptions: Sendable {
    /// The node's name.
    package var node: String
    /// Milliseconds that a unit waits for more at most.
    package var interval: Int64
    /// How large a unit may be.
    package var unitLimit = SpoolUnit.Limit()
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var now: @Sendable () -> Int64
    /// The same, and by a clock that is not set.
    package var time: @Sendable () -> NodeTime

    /// All of it as given.
    package init(node: String, interval: Int64, now: @escaping @Sendable () -> Int64) {
        self.node = node
        self.interval = interval
        self.now = now
        time = { .now(now()) }
    }

    /// Milliseconds between two looks at what the engine has, and two signs of life there.
    static let beat: Int64 = 2_000
}
