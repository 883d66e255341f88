import ArgumentParser
import Client
import Curl
import Service

/// `sojourn healthcheck`: exits 0 if `/readyz` answers 200.
struct HealthcheckCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck", abstract: "Exit 0 if the server can store a batch now.",
        discussion:
            "Asks /readyz of admin-listen, or of the first listen address where that is off.")

    @OptionGroup(title: "Settings") var settingOptions: SettingOptions
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        let address = settings.adminListen ?? settings.listen.first ?? ""
        var limits = HTTPClient.AnswerLimits()
        limits.connectTimeout = 3000
        limits.totalTimeout = 10_000
        let client = try HTTPClient(ServerAddress(Listener.url(ofAddress: address)), limits: limits)
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            answer = try client.send(.get("/readyz"))
        } catch {
            invocation.show([("ready", .bool(false)), ("status", .null)], text: "")
            throw error
        }
        let status = answer.status
        invocation.show(
            [("ready", .bool(status == 200)), ("status", .integer(Int64(status)))],
            text: status == 200 ? "ready\n" : "")
        if status != 200 {
            throw AdminFailure(
                .unavailable,
                "\(address) is not ready: \(String(decoding: answer.body.prefix(200), as: UTF8.self).split(separator: "\n").first ?? "")"
            )
        }
    }
}
