import Curl

/// How the engine is reached: whom, as whom, which database (docs/scale.md, Settings).
package struct EngineAccess: Sendable {
    /// The replicas of each shard, in their order.
    package let shards: [[ServerAddress]]
    /// As whom.
    package let user: String
    /// Empty where there is none. Never shown.
    package let password: String
    /// The database of our tables: letters, digits and `_`.
    package let database: String
    /// Milliseconds that one request may take.
    package let timeout: Int

    /// - Parameter shards: at least one, each with at least one address
    package init(
        shards: [[ServerAddress]], user: String, password: String, database: String, timeout: Int
    ) {
        self.shards = shards
        self.user = user
        self.password = password
        self.database = database
        self.timeout = timeout
    }

    /// Reads the values of the setting: one for each shard, its replicas divided by spaces. Each server is there
    /// once: rows of two shards in one would be counted twice for ever.
    /// - Throws: `AddressFailure`; it does not repeat the text, which may hold a password
    package static func shards(
        parsing texts: [String]
    ) throws(AddressFailure) -> [[ServerAddress]] {
        var shards: [[ServerAddress]] = []
        var known: Set<String> = []
        for text in texts {
            var replicas: [ServerAddress] = []
            for part in text.split(separator: " ") {
                let address = try ServerAddress(String(part))
                guard address.socketPath == nil else {
                    throw AddressFailure(reason: "it must begin with http:// or https://")
                }
                guard !address.hasPath else {
                    throw AddressFailure(reason: "it must end with the host or its port")
                }
                guard known.insert(address.origin).inserted else {
                    throw AddressFailure(reason: "\(address.origin) is there twice")
                }
                replicas.append(address)
            }
            guard !replicas.isEmpty else { throw AddressFailure(reason: "it names no server") }
            shards.append(replicas)
        }
        return shards
    }
}
