/// What was found of a device.
protocol OfDevice: Sendable {
    /// The device's row.
    var device: Int64 { get }
}
