/// An event that matches steps of a funnel.
struct FunnelHit: OfDevice {
    /// Row of its device.
    let device: Int64
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let time: Int64
    /// The steps, bit 0 for the first.
    let mask: UInt16
}
