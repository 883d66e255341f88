import Service

/// What stands as `--NAME VALUE` or `--NAME=VALUE` among arguments, taken out of them by its name:
/// settings, which every command takes and an empty value of which is refused, and the parameters of
/// reports, whose names no declaration lists. All else is left to swift-argument-parser
/// (docs/decisions/0047-settings-are-taken-out-first.md).
struct NamedValues {
    /// In the order in which they were given.
    private(set) var pairs: [(name: String, value: String)] = []
    /// The other arguments.
    private(set) var rest: [String] = []

    /// - Parameter isWanted: whether a name, without its hyphens, is one of those to be taken
    /// - Throws: a failure of kind usage where the last one has no value
    init(_ arguments: [String], where isWanted: (String) -> Bool) throws(AdminFailure) {
        var left = arguments[...]
        while let argument = left.popFirst() {
            guard argument != "--" else {
                rest += [argument] + left
                return
            }
            let parts = argument.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard argument.hasPrefix("--"), let name = parts.first.map(String.init), isWanted(name)
            else {
                rest.append(argument)
                continue
            }
            guard let value = parts.count > 1 ? String(parts[1]) : left.popFirst() else {
                throw AdminFailure(.usage, "option --\(name) needs a value")
            }
            pairs.append((name, value))
        }
    }
}
