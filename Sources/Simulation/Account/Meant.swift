import Client

/// An event as it was meant.
struct Meant {
    /// As the device stamps it, ms.
    let sent: Int64
    let name: String
    let attributes: [(key: String, value: Value)]
    /// The number of its session among the device's; nil in the background.
    let session: Int?
    /// Which of the device's bodies have got it to the server: one bit each.
    var delivered: UInt8 = 0
}
