/// Buffers that workers keep from body to body.
enum Scratch {
    /// Makes room; never shrinks, and keeps nothing of what was there.
    static func grow(_ scratch: inout [UInt8], to count: Int) {
        guard scratch.count < count else { return }
        // Released before the larger one is made, so that both never exist at once.
        scratch = []
        scratch = [UInt8](repeating: 0, count: count)
    }
}
