/// What the client's state machine asks of what it runs in: a phone, or a simulated one.
package protocol Surroundings: AnyObject {
    associatedtype Folder: Disk

    /// Nanoseconds of the monotonic clock that runs on during sleep.
    var monotonic: Int64 { get }
    /// The device's clock as it is set now, ms since 1970.
    var wall: Int64 { get }
    /// 64 random bits.
    func random() -> UInt64

    /// How large a batch is when it is sealed, as a quotient of what it may be.
    func excess(of text: [UInt8]) -> Double
    /// A batch's body, sealed anew at each call; nil where the system cannot.
    func seal(_ text: [UInt8]) -> [UInt8]?

    /// Posts a body. What comes of it is told by the machine's `posted`, once, not from within this.
    ///
    /// - Parameter attempt: The number by which it is told, or called off.
    func post(_ body: [UInt8], attempt: Int)
    /// Calls an attempt off: its connection is closed, and `posted` told.
    func cancel(attempt: Int)

    /// The id that a group of apps shares, which `own` becomes where it has none yet; nil without a group.
    func sharedID(orMake own: String) -> String?
    /// The group's id from now on.
    func share(_ id: String)

    /// The user wants nothing recorded, as the journal knows from an earlier launch.
    func isOff()
    /// A line for a developer: never an id, a secret, a token or a body.
    func log(_ line: String)
}

extension Surroundings {
    /// A random UUID.
    func newID() -> String { RandomID.text(random(), random()) }

    func sharedID(orMake own: String) -> String? { nil }
    func share(_ id: String) {}

    /// Evenly drawn from 0 to 1.
    func draw() -> Double { 0x1p-53 * Double(random() >> 11) }
}
