/// What is known of a batch that was answered 200.
struct Receipt {
    /// The real moment of its first attempt, ms.
    let first: Int64
    /// That of the answered one.
    let last: Int64
    /// Attempts of which nobody knows whether they arrived.
    let unknown: Int
    /// Whether the server has had it before.
    let isRepeat: Bool
}
