import Storage

/// Whether keys have been used as often as there are batches under them. Uses outlive the batches of
/// devices that were erased.
struct KeyUseCheck {
    private let erasedSome: Bool

    init(erasedSome: Bool) { self.erasedSome = erasedSome }

    func run(_ check: BatchCheck, _ findings: inout Findings) {
        for key in Set(check.uses.keys).union(check.counted.keys).sorted() {
            let counted = check.counted[key] ?? (0, .min)
            let found = check.uses[key] ?? (0, .min)
            let fits =
                erasedSome
                ? found.batches <= counted.batches && found.last <= counted.last
                : found == counted
            if fits { continue }
            findings.add(
                Finding(
                    "key_use \(key)",
                    "counts \(counted.batches) batches, of which \(found.batches) are there"))
        }
    }
}
