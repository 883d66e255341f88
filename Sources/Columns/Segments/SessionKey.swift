/// What tells sessions from each other: 64 bits of a hash of the session's id, mixed with its device,
/// since devices may give the same ids. Two ids of one device with the same hash count as one session.
package enum SessionKey {
    /// The key from the hash of the id; and, since it is its own inverse, that hash from the key.
    package static func mixed(_ session: UInt64, with device: Int64) -> UInt64 {
        // SplitMix64: one bit of the row changes half of these.
        var bits = UInt64(bitPattern: device) &+ 0x9e37_79b9_7f4a_7c15
        bits = (bits ^ bits &>> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits &>> 27) &* 0x94d0_49bb_1331_11eb
        return session ^ bits ^ bits &>> 31
    }
}
