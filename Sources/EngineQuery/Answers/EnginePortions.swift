/// How much shards are asked for at once, where what they have has to be put together here.
package struct EnginePortions: Sendable {
    /// Names of a shard that are ranked with those of others.
    package var names = 10_000
    /// Values among which ranks are looked for, over all shards.
    package var values: UInt64 = 20_000

    /// Those of a server.
    package init() {}
}
