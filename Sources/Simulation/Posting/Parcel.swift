/// A batch that a worker has to get to the server.
struct Parcel {
    let device: SimulatedDevice
    let post: Post
    /// Whether it is the device's first: a phone has a connection of its own.
    let isFirst: Bool
    /// Attempts that have failed.
    var failures: Int64 = 0
    /// When it may be tried, on the clock that is never set, ms.
    var due: Int64
    /// When it is given up, on the same clock; nil before the first attempt.
    var deadline: Int64?
    /// The real moments of the first and the latest attempt, ms.
    var firstPosted: Int64?
    var posted: Int64 = 0
    /// Attempts of which nobody knows whether they arrived.
    var unknown = 0
}
