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
        try Administration(
            settings: invocation.settings(), note: { invocation.errors.write("sojourn: \($0)\n") }
        ).report(
            name, pairs, format: format, isColoured: invocation.wantsColour
        ) { bytes in
            invocation.output.write(bytes)
            last = bytes.last ?? last
        }
        if last != 10 { invocation.output.write("\n") }
    }

    /// The report's name and parameters, which may stand before it.
    private func asked() throws -> (name: String, pairs: [(name: String, value: String)]) {
        let named = try NamedValues(words) { _ in true }
        guard named.rest.count < 2 else {
            throw AdminFailure(.usage, "one report at a time; parameters are --KEY VALUE")
        }
        guard let name = named.rest.first else {
            throw AdminFailure(.usage, "name a report; 'sojourn help report' lists them")
        }
        return (name, named.pairs)
    }
}
