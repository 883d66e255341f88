import Client
import Curl
import JSON
import Service
import Truth

/// Who answers a question for a report: the server over HTTP with a token, else the data directory.
struct ReportSource {
    private enum Way {
        case server(HTTPClient, token: String)
        case directory(Administration)
    }

    private let app: String
    private let way: Way

    init(
        app: String, token: String?, address: ServerAddress, _ settings: Settings
    ) throws {
        self.app = app
        guard let token else {
            way = .directory(Administration(settings: settings))
            return
        }
        var limits = HTTPClient.AnswerLimits()
        limits.totalTimeout = 120_000
        limits.bodyLimit = 64 << 20
        way = .server(try HTTPClient(address, limits: limits), token: token)
    }

    /// What answers depend on beside events; nil where the app is not known.
    func conditions() throws -> ServerConditions? {
        switch way {
        case .directory(let administration):
            let minGroup = Int64(administration.settings.reportMinGroup)
            return try administration.apps().first { $0.app == app }.map {
                ServerConditions(sessionTimeout: $0.sessionTimeout, minGroup: minGroup)
            }
        case .server(let client, let token):
            let answer = try client.send(.get("/report", token: token))
            guard answer.status == 200 else { throw refusal(answer, "to the list of reports") }
            return ServerConditions(index: answer.body, app: app)
        }
    }

    /// The JSON answer of a report.
    func answer(_ report: String, _ parameters: [(name: String, value: String)]) throws -> [UInt8] {
        switch way {
        case .directory(let administration):
            var bytes: [UInt8] = []
            try administration.report(
                report, [("app", app)] + parameters, format: .json, isColoured: false
            ) { bytes += $0 }
            return bytes
        case .server(let client, let token):
            let answer = try client.send(.get(path(report, parameters), token: token))
            guard answer.status == 200 else { throw refusal(answer, "to the report \(report)") }
            return answer.body
        }
    }

    /// What asks the same again, as a line to paste.
    func command(_ report: String, _ parameters: [(name: String, value: String)]) -> String {
        switch way {
        case .directory(let administration):
            let folder = [(name: "data", value: administration.settings.data)]
            let words = ([("app", app)] + parameters + folder).flatMap { ["--" + $0.0, $0.1] }
            return (["sojourn", "report", report] + words).map(Self.quoted).joined(separator: " ")
        case .server(let client, _):
            let url = client.address.url(path(report, parameters))
            let socket =
                client.address.socketPath.map { "--unix-socket \(Self.quoted($0)) " } ?? ""
            return "curl -sH \"Authorization: Bearer $SOJOURN_TOKEN\" \(socket)\(Self.quoted(url))"
        }
    }

    private func path(_ report: String, _ parameters: [(name: String, value: String)]) -> String {
        "/report/\(report)?"
            + ([("app", app)] + parameters)
            .map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
    }

    private func refusal(_ answer: HTTPAnswer, _ what: String) -> AdminFailure {
        let detail = (try? Tree(answer.body.span)["detail"]?.text).map {
            String(decoding: $0, as: UTF8.self)
        }
        let isFit = detail.map { $0.utf8.count <= 500 } ?? false
        let said = isFit ? ": " + Printable.text(detail ?? "") : ""
        return AdminFailure(
            answer.status < 500 ? .dataError : .unavailable,
            "the server answers \(answer.status) \(what)\(said)")
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: text.utf8.flatMap { byte -> [UInt8] in
                isPlain(byte)
                    ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// As a shell takes it for one word.
    private static func quoted(_ text: String) -> String {
        text.utf8.allSatisfy { isPlain($0) || "/:=,@+".utf8.contains($0) } && !text.isEmpty
            ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
