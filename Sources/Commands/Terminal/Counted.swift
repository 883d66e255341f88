/// A number with what it counts, for people.
enum Counted {
    /// `1 batch`, `2 batches`.
    static func batches(_ count: some BinaryInteger) -> String { text(count, "batch", "batches") }

    /// `1 event`, `2 events`.
    static func events(_ count: some BinaryInteger) -> String { text(count, "event", "events") }

    /// `1 device`, `2 devices`.
    static func devices(_ count: some BinaryInteger) -> String { text(count, "device", "devices") }

    /// With the word for one, or that for none and many.
    static func text(_ count: some BinaryInteger, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }
}
