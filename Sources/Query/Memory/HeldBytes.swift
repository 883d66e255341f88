import Synchronization

/// What a collection holds, told to its report's account when the collection takes memory or gives some
/// back; all of it is given back with the collection. A copy of the collection shares its memory until
/// one of them grows: from then on each has told of its own.
package struct HeldBytes: Sendable {
    private final class Share: Sendable {
        let account: ReportAccount
        let octets = Atomic<Int>(0)

        init(_ account: ReportAccount) { self.account = account }

        deinit { account.add(-octets.load(ordering: .relaxed)) }

        func set(_ octets: Int) {
            account.add(octets - self.octets.exchange(octets, ordering: .relaxed))
        }
    }

    private var share: Share
    /// What has not been told yet, since it is little; below 0 where it was given back.
    private var untold = 0

    /// So much is told of at once.
    private static let piece: UInt = 16 << 10

    /// For a collection of the report that has this account.
    init(_ account: ReportAccount) { share = Share(account) }

    /// The same that holds something already.
    package init(_ account: ReportAccount, _ octets: Int) {
        self.init(account)
        set(octets)
    }

    /// Whose it is.
    var account: ReportAccount { share.account }

    /// What the collection holds now.
    package mutating func set(_ octets: Int) {
        untold = 0
        if !isKnownUniquelyReferenced(&share) { share = Share(share.account) }
        share.set(octets)
    }

    /// The collection holds so much more.
    @inline(__always)
    mutating func add(_ octets: Int) {
        untold &+= octets
        if untold.magnitude >= Self.piece { set(share.octets.load(ordering: .relaxed) + untold) }
    }
}

extension Array {
    /// Bytes that it takes, by its capacity; not what its elements hold elsewhere.
    package var allocatedBytes: Int { capacity * MemoryLayout<Element>.stride }

    /// From so many octets on an array grows by a quarter, not to twice its size.
    private static var large: Int { 1 << 20 }

    /// Appends an element, and tells of the memory that takes.
    @inline(__always)
    mutating func append(_ element: Element, _ held: inout HeldBytes) {
        if count == capacity { grow(1, &held) }
        append(element)
    }

    /// Takes memory for so many elements more, and tells of it.
    @inline(never)
    mutating func grow(_ more: Int, _ held: inout HeldBytes) {
        let before = allocatedBytes
        let wanted =
            before < Self.large
            ? Swift.max(count + more, count * 2, 8) : count + Swift.max(more, count / 4)
        // While elements are copied both pieces of memory are held.
        let copy = wanted * MemoryLayout<Element>.stride
        held.add(copy)
        reserveCapacity(wanted)
        held.add(allocatedBytes - before - copy)
    }
}
