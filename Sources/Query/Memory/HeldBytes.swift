import Synchronization

/// The memory of a collection, which it charges to its report's account when it allocates or frees
/// some; the account gets all of it back when the collection ends. A copy of the collection shares
/// its memory until one of them grows: from then on each is charged for its own.
package struct HeldBytes: Sendable {
    private final class Share: Sendable {
        let account: ReportAccount
        let bytes = Atomic<Int>(0)

        init(_ account: ReportAccount) { self.account = account }

        deinit { account.add(-bytes.load(ordering: .relaxed)) }

        func set(_ bytes: Int) {
            account.add(bytes - self.bytes.exchange(bytes, ordering: .relaxed))
        }
    }

    private var share: Share
    /// Bytes that the account has not been charged for yet; below 0 where memory was freed.
    private var pending = 0

    /// The account is charged in steps of this many bytes.
    private static let threshold: UInt = 16 << 10

    /// An empty collection of the report that has this account.
    init(_ account: ReportAccount) { share = Share(account) }

    /// A collection that holds this many bytes already.
    package init(_ account: ReportAccount, _ bytes: Int) {
        self.init(account)
        set(bytes)
    }

    /// The account that is charged.
    var account: ReportAccount { share.account }

    /// Sets how many bytes the collection holds.
    package mutating func set(_ bytes: Int) {
        pending = 0
        if !isKnownUniquelyReferenced(&share) { share = Share(share.account) }
        share.set(bytes)
    }

    /// Adds bytes that the collection holds more; below 0: fewer.
    @inline(__always)
    mutating func add(_ bytes: Int) {
        pending &+= bytes
        if pending.magnitude >= Self.threshold {
            set(share.bytes.load(ordering: .relaxed) + pending)
        }
    }
}

extension Array {
    /// The bytes of its capacity; not what its elements hold elsewhere.
    package var allocatedBytes: Int { capacity * MemoryLayout<Element>.stride }

    /// An array of this many bytes or more grows by a quarter, a smaller one to twice its size.
    private static var large: Int { 1 << 20 }

    /// Appends an element, and charges for the memory that takes.
    @inline(__always)
    mutating func append(_ element: Element, _ held: inout HeldBytes) {
        if count == capacity { grow(1, &held) }
        append(element)
    }

    /// Appends an element so many times, none below 1, and charges for the memory that takes.
    @inline(__always)
    mutating func append(repeating element: Element, _ times: Int, _ held: inout HeldBytes) {
        if times > 0 { extend(element, times, &held) }
    }

    @inline(never)
    private mutating func extend(_ element: Element, _ times: Int, _ held: inout HeldBytes) {
        if count + times > capacity { grow(times, &held) }
        self += repeatElement(element, count: times)
    }

    /// Reserves memory for `more` further elements, and charges for it.
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
