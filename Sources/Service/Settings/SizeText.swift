/// Sizes as people write them: `4096`, `64KiB`, `8MiB`.
enum SizeText {
    /// With the largest unit that leaves no fraction.
    static func text(bytes: Int64) -> String {
        let units: [(Int64, String)] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
        for (unit, name) in units where bytes > 0 && bytes % unit == 0 {
            return "\(bytes / unit)\(name)"
        }
        return "\(bytes)"
    }
}
