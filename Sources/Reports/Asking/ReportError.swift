import Query
import TimeZones

/// Why a question is refused, although nothing failed. `detail` names the parameter and repeats no
/// value (docs/reports.md, Asking).
package struct ReportError: Error, Hashable, Sendable {
    /// The `code` of the problem document.
    package enum Code: String, CaseIterable, Sendable {
        case unknownReport = "unknown-report"
        case unknownApp = "unknown-app"
        case missingParameter = "missing-parameter"
        case unknownParameter = "unknown-parameter"
        case invalidParameter = "invalid-parameter"
        case timeZoneGone = "time-zone-gone"

        /// Status of the answer.
        package var status: Int {
            switch self {
            case .unknownReport, .unknownApp: 404
            case .missingParameter, .unknownParameter, .invalidParameter: 400
            case .timeZoneGone: 409
            }
        }
    }

    /// What kind of refusal it is.
    package let code: Code
    /// One sentence: what is wrong with which parameter, or with the app's time zone.
    package let detail: String

    /// A refusal and its reason.
    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Status of the answer.
    package var status: Int { code.status }

    /// No report has the name.
    package static let unknownReport = ReportError(
        .unknownReport, "no report has this name; GET /report lists them")
    /// No app has the name.
    package static let unknownApp = ReportError(.unknownApp, "no app has the id given as app")

    /// A parameter that has to be given.
    package static func missing(_ name: String) -> ReportError {
        ReportError(.missingParameter, "\(name) is required")
    }

    /// A parameter with an invalid value; `rule` says what a valid one is.
    package static func invalid(_ name: String, _ rule: String) -> ReportError {
        ReportError(.invalidParameter, "\(name) \(rule)")
    }
}

extension QueryApp {
    /// What is wrong where tzdata does not have the app's time zone, as after a move to a system that keeps older names
    /// in a package of their own, and what helps; nil where it has it.
    package var timeZoneFault: String? {
        if (try? TimeZoneRules(name: timeZone)) != nil { return nil }
        return
            "tzdata does not have the time zone \(timeZone) of app \(name): give it another with "
            + "'sojourn app set \(name) --time-zone ZONE', or install the zone's file; Debian has "
            + "older names in the package tzdata-legacy"
    }
}
