/// Who is told what a scan holds in memory, in octets of capacity. From any thread.
package protocol MemoryAccount: AnyObject, Sendable {
    /// So many octets more; or less, below 0.
    func add(_ octets: Int)
    /// Whether it is too much: then the scan soon calls its pause, which ends it.
    var isOver: Bool { get }
}
