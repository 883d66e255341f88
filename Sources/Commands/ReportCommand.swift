import ArgumentParser
import Reports
import Service

/// `sojourn report`: the same answer as `GET /report/NAME`, straight from the database.
struct ReportCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Print a report.",
        discussion: """
            Every parameter of the report is an option, such as --from 2026-11-01 or --os.name iOS.
            Reports: \(ReportDefinition.all.map { "\($0.name) (\($0.summary))" }.joined(separator: "; ")).
            Example: sojourn report active --app shop --interval week
            """)

    @ArgumentParser.Argument(
        parsing: .allUnrecognized, help: "The report's name, and --KEY VALUE for each parameter.")
    var words: [String] = []
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let (name, pairs) = try asked()
        let given = pairs.last { $0.name == "format" }?.value
        let format: ReportFormat
        if let given {
            guard !invocation.wantsJSON || given == "json" else {
                throw AdminFailure(.usage, "--json and --format \(given) contradict each other")
            }
            guard let named = ReportFormat(rawValue: given) else {
                throw AdminFailure(.usage, "--format takes json, csv or table")
            }
            format = named
        } else {
            format = invocation.wantsJSON ? .json : .table
        }
        var last: UInt8 = 10
        try Administration(settings: invocation.settings()).report(
            name, pairs, format: format, isColoured: invocation.wantsColour
        ) { bytes in
            invocation.output.write(bytes)
            last = bytes.last ?? last
        }
        if last != 10 { invocation.output.write("\n") }
    }

    /// The report's name and parameters, which may stand before it.
    private func asked() throws -> (name: String, pairs: [(name: String, value: String)]) {
        var name: String?
        var pairs: [(name: String, value: String)] = []
        var at = words.startIndex
        while at < words.endIndex {
            let word = words[at]
            at += 1
            guard word.hasPrefix("--"), word.count > 2 else {
                guard name == nil else {
                    throw AdminFailure(.usage, "one report at a time; parameters are --KEY VALUE")
                }
                name = word
                continue
            }
            let parts = word.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 {
                pairs.append((String(parts[0]), String(parts[1])))
            } else if at < words.endIndex {
                pairs.append((String(parts[0]), words[at]))
                at += 1
            } else {
                throw AdminFailure(.usage, "option \(word) needs a value")
            }
        }
        guard let name else {
            throw AdminFailure(.usage, "name a report; 'sojourn help report' lists them")
        }
        return (name, pairs)
    }
}
