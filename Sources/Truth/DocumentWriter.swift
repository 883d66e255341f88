import JSON

/// Writes a truth document: JSON, with a line for each row so that two of them can be compared by eye.
///
///     {"truth":1,"app":"shop",…,"questions":[
///     {"report":"active","parameters":[["from","2026-10-01"],…],"columns":["date",…],"keys":1,"members":{},"rows":[
///     ["2026-10-01",107,138,138,38,0.775362],
///     …
///     ]}
///     ]}
///
/// What is known within bounds is `{"from":a,"to":b}`, what is not known `{"unchecked":true}`.
struct DocumentWriter {
    /// Changes when what is written here does.
    static let version: Int64 = 1

    private let scope: TruthScope
    private var bytes: [UInt8] = []
    private var isFirst = true

    init(_ scope: TruthScope) {
        self.scope = scope
        put("{\"truth\":\(Self.version),\"app\":")
        Writer.append(scope.app, to: &bytes)
        put(",\"time_zone\":")
        Writer.append(scope.zone.name, to: &bytes)
        put(",\"from\":\"\(scope.from.text)\",\"to\":\"\(scope.to.text)\"")
        put(",\"session_timeout_ms\":\(scope.sessionTimeout),\"questions\":[")
    }

    mutating func append(_ question: TruthQuestion, _ answer: Answer) {
        put(isFirst ? "\n" : ",\n")
        isFirst = false
        put("{\"report\":\"\(question.report)\",\"parameters\":[")
        let range =
            question.isRanged
            ? [Parameter("from", scope.from.text), Parameter("to", scope.to.text)] : []
        let parameters =
            range + [Parameter("tz", scope.zone.name)] + question.parameters + answer.parameters
        separated(parameters) { writer, parameter in
            writer.put("[")
            Writer.append(parameter.name, to: &writer.bytes)
            writer.put(",")
            Writer.append(parameter.value, to: &writer.bytes)
            writer.put("]")
        }
        put("],\"columns\":[")
        separated(answer.columns) { writer, column in
            Writer.append(column, to: &writer.bytes)
        }
        put("],\"keys\":\(answer.keyCount)")
        if answer.isSum { put(",\"sum\":true") }
        put(",\"members\":")
        append(.object(answer.members))
        put(",\"rows\":[\n")
        separated(answer.rows, by: ",\n") { writer, row in
            writer.put("[")
            writer.separated(row) { writer, figure in writer.append(figure) }
            writer.put("]")
        }
        put("\n]}")
    }

    consuming func finish() -> [UInt8] {
        put("\n]}\n")
        return bytes
    }

    private mutating func append(_ figure: Figure) {
        switch figure {
        case .missing: put("null")
        case .text(let text): Writer.append(text, to: &bytes)
        case .number(let number): put(number)
        case .between(let low, let high): put("{\"from\":\(low),\"to\":\(high)}")
        case .unchecked: put("{\"unchecked\":true}")
        case .object(let members):
            put("{")
            separated(members) { writer, member in
                Writer.append(member.name, to: &writer.bytes)
                writer.put(":")
                writer.append(member.figure)
            }
            put("}")
        }
    }

    private mutating func separated<Element>(
        _ elements: [Element], by separator: String = ",",
        _ append: (inout DocumentWriter, Element) -> Void
    ) {
        for (index, element) in elements.enumerated() {
            if index > 0 { put(separator) }
            append(&self, element)
        }
    }

    private mutating func put(_ text: String) { bytes += text.utf8 }
}
