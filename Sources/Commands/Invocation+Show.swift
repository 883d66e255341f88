import JSON
import Service

extension Invocation {
    /// One object under `--json`, people's text otherwise.
    func show(_ members: [(String, JSONValue)], text: String) {
        output.write(wantsJSON ? JSONValue.object(members).text + "\n" : text)
    }

    /// An array of objects under `--json`, an aligned table otherwise.
    func show(list: [[(String, JSONValue)]], header: [String], lines: [[String]]) {
        if wantsJSON {
            output.write(JSONValue.array(list.map(JSONValue.object)).text + "\n")
        } else {
            output.write(TextTable.render(header: header, lines: lines))
        }
    }
}
