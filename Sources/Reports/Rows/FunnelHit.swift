/// An event that matches steps of a funnel.
struct FunnelHit: Comparable {
    /// Row of its device.
    let device: Int64
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let time: Int64
    /// The steps, bit 0 for the first.
    let mask: UInt16

    static func < (a: FunnelHit, b: FunnelHit) -> Bool {
        if a.device != b.device { return a.device < b.device }
        return a.time != b.time ? a.time < b.time : a.mask < b.mask
    }
}
