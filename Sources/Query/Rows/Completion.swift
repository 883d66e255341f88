/// That a device, which is not shared, completed a content.
struct Completion: OfDevice {
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

    /// Of one device by content, the earliest first, and by batch.
    static func precedes(_ a: Completion, _ b: Completion) -> Bool {
        if a.content != b.content { return a.content < b.content }
        return a.time != b.time ? a.time < b.time : a.batch < b.batch
    }
}
