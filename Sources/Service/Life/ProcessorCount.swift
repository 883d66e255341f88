import FoundationEssentials

/// How many processors the process may use.
enum ProcessorCount {
    /// Those it is bound to, not those there are.
    static var usable: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}
