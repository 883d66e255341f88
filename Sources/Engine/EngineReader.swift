/// Asks every shard the same statement at once, one replica of each.
package protocol EngineReader: Sendable {
    /// How many shards there are.
    var shards: Int { get }

    /// The answers in RowBinary, one for each shard, in their order.
    /// - Parameter statement: without a format
    func read(_ statement: String) throws(EngineError) -> [[UInt8]]

    /// The same of one shard alone.
    func read(_ statement: String, shard: Int) throws(EngineError) -> [UInt8]

    /// Throws if the one who asked does not want an answer any more.
    func check() throws(EngineError)
}
