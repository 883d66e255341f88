import Client
import Curl
import Events
import Glibc
import Query
import Service
import Storage

/// Who may post, and over which ways.
extension Checkup {
    /// Keys of the profile that proves nothing about integrity (docs/protocol.md, legacy).
    static func legacyKeys(_ contents: Contents, now: Int64) -> [CheckupResult] {
        let keys = contents.snapshot.keys.filter { $0.profile == .legacy && !$0.isRevoked }
        guard !keys.isEmpty else {
            return [CheckupResult("legacy-keys", .ok, "no active key is of profile legacy")]
        }
        return keys.map { key in
            let app = contents.snapshot.app(key.app)?.name ?? ""
            let name = "legacy key \(key.name) of app \(app)"
            guard let use = contents.use[key.id] else {
                return CheckupResult(
                    "legacy-keys", .note, "\(name) was never used; revoke it if no client needs it")
            }
            let last = "\(Counted.batches(use.batches)), the last at \(Moment.text(use.last))"
            guard now - use.last <= unused else {
                return CheckupResult(
                    "legacy-keys", .note, "\(name) is out of use (\(last)); revoke it")
            }
            return CheckupResult(
                "legacy-keys", .warning,
                "\(name) is in use (\(last)): its bodies can be altered unseen; "
                    + "move its clients to aes128gcm")
        }
    }

    /// Apps whose SDK may say that a session is over only when it notices (docs/opentelemetry.md, On the server).
    static func sessionTimeouts(_ contents: Contents) -> [CheckupResult] {
        contents.snapshot.apps.filter { app in
            contents.appsOfOTLP.contains(app.id) && app.sessionTimeout > otlpTimeout
        }.map { app in
            CheckupResult(
                "session-timeout", .warning,
                "app \(app.name) gets batches by OTLP and has a session timeout of "
                    + "\(DurationText.text(milliseconds: app.sessionTimeout)): some SDKs stamp the end of a "
                    + "session minutes into the background, and up to the timeout that counts as use; "
                    + "'sojourn app set \(app.name) --session-timeout 15m'")
        }
    }

    /// Devices that are most likely many: their sessions overlap, or are too many for one
    /// (docs/protocol.md, Device identity).
    /// - Parameter crowded: by an app's row
    static func sharedIDs(
        _ apps: [App], _ crowded: [Int64: [CrowdedDevice]]
    ) -> [CheckupResult] {
        let found = apps.flatMap { app in
            let devices = crowded[app.id] ?? []
            let named = devices.prefix(maxNamed).map { device in
                CheckupResult(
                    "shared-ids", .warning,
                    "device \(device.device.hex) of app \(app.name) \(signs(of: device)): many "
                        + "devices probably send its id; /report/devices/\(device.device.hex)"
                        + "?app=\(app.name) shows which releases do; let them make a random "
                        + "app.installation.id")
            }
            guard devices.count > maxNamed else { return named }
            let more = "\(devices.count - maxNamed) more devices of app \(app.name) are like that"
            return named + [CheckupResult("shared-ids", .warning, more)]
        }
        guard found.isEmpty else { return found }
        return [
            CheckupResult(
                "shared-ids", .ok,
                "no device's sessions overlap, or are more than \(CrowdedDevices.sessionsADay) a day"
            )
        ]
    }

    /// Devices of an app that are named one by one.
    private static let maxNamed = 3

    private static func signs(of device: CrowdedDevice) -> String {
        var signs: [String] = []
        if device.overlapping > 0 {
            let sessions = device.overlapping == 1 ? "session" : "sessions"
            signs.append("began \(device.overlapping) \(sessions) while another of it went on")
        }
        if device.mostADay > CrowdedDevices.sessionsADay {
            signs.append("began \(device.mostADay) sessions on one day")
        }
        return signs.joined(separator: " and ")
    }

    /// The timeout of OpenTelemetry's own SDKs, in milliseconds.
    private static let otlpTimeout: Int64 = 15 * 60_000

    /// Bodies that only TLS protects, taken at an address that others can reach without it.
    static func plain(_ apps: [String], _ listen: [String]) -> CheckupResult {
        let open = listen.filter { !Listener.isLocal($0) }
        guard !apps.isEmpty else { return CheckupResult("plain", .ok, "no app takes plain bodies") }
        guard !open.isEmpty else {
            return CheckupResult(
                "plain", .ok,
                "plain bodies (apps: \(listed(apps))) come from this machine alone: from a proxy")
        }
        return CheckupResult(
            "plain", .warning,
            "plain bodies (apps: \(listed(apps))) are taken at \(listed(open)), which is reached "
                + "without a proxy; listen on 127.0.0.1 behind TLS, or 'sojourn app set "
                + "\(apps.count == 1 ? apps[0] : "APP") --no-allow-plain'")
    }

    /// - Parameters:
    ///   - reports: where reports are asked
    ///   - admin: where metrics are, nil for nowhere
    static func listeners(reports: [String], admin: String?) -> [CheckupResult] {
        var findings: [CheckupResult] = []
        let open = reports.filter { !Listener.isLocal($0) }
        if !open.isEmpty {
            findings.append(
                CheckupResult(
                    "listeners", .warning,
                    "reports are asked at \(listed(open)): tokens and figures go over the network "
                        + "as they are; set report-listen to 127.0.0.1 behind TLS"))
        }
        if let admin, !Listener.isLocal(admin) {
            findings.append(
                CheckupResult(
                    "listeners", .warning,
                    "metrics at \(admin) are for anyone who reaches it; set admin-listen to "
                        + "127.0.0.1"))
        }
        if findings.isEmpty {
            findings.append(
                CheckupResult(
                    "listeners", .ok, "reports and metrics are asked on this machine alone"))
        }
        return findings
    }

    /// Whether the server that runs here, if one does, could store a batch now.
    func server() -> CheckupResult {
        guard access(directory.controlSocket, F_OK) == 0 else {
            return CheckupResult("server", .note, "no server runs on this data directory")
        }
        var limits = HTTPClient.AnswerLimits()
        limits.connectTimeout = 3000
        limits.totalTimeout = 10_000
        do {
            let address = try ServerAddress("unix:" + directory.controlSocket)
            let answer = try HTTPClient(address, limits: limits).send(.get("/readyz"))
            guard answer.status != 200 else { return CheckupResult("server", .ok, "it is ready") }
            let reason =
                String(decoding: answer.body.prefix(200), as: UTF8.self)
                .split(separator: "\n").first ?? "no reason given"
            return CheckupResult("server", .broken, "it cannot store batches now: \(reason)")
        } catch let failure as HTTPFailure where failure.kind == .unreachable {
            return CheckupResult("server", .note, "no server runs on this data directory")
        } catch {
            return CheckupResult("server", .broken, "it does not answer: \(error)")
        }
    }
}
