/// That a device, which is not shared, completed a content.
struct Completion {
    /// Row of the device.
    let device: Int64
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let time: Int64
    /// Row of its batch.
    let batch: Int64
    /// The content's number.
    private(set) var content: Int32
    /// The question is about it.
    let counts: Bool

    init(device: Int64, content: Int, time: Int64, batch: Int64, counts: Bool) {
        self.device = device
        self.content = Int32(truncatingIfNeeded: content)
        self.time = time
        self.batch = batch
        self.counts = counts
    }

    /// The same under another number of its content.
    func of(_ content: Int) -> Completion {
        var completion = self
        completion.content = Int32(truncatingIfNeeded: content)
        return completion
    }

    /// Whether it is of the same device and content.
    func isLike(_ other: Completion) -> Bool {
        device == other.device && content == other.content
    }
}
