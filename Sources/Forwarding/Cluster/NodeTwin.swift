import Storage

/// Whether another node hands over under the same name: it reads there what it has not written itself.
struct NodeTwin {
    /// The fact of `meta` that says when that was last seen, milliseconds since 1970.
    static let fact = "node_twin_at"

    /// The versions that this node wrote last, the newest last.
    private var own: [UInt64] = []
    private static let remembered = 64

    /// The node has said how far it is.
    mutating func wrote(_ version: UInt64) {
        own.append(version)
        if own.count > Self.remembered { own.removeFirst() }
    }

    /// Whether the version that the engine has is somebody else's: of a name that this node has written since
    /// it began.
    /// - Parameter isRetired: it was a command that wrote it
    func isSeen(in version: UInt64, isRetired: Bool) -> Bool {
        guard let last = own.last, !isRetired else { return false }
        return version > last && !own.contains(version)
    }
}
