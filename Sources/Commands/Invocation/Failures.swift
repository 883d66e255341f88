import Client
import Curl
import Database
import Reports
import Service
import Simulation
import Storage

/// Errors of other rooms as what a command ends with.
enum Failures {
    static func describe(_ error: any Error) -> AdminFailure {
        switch error {
        case let failure as AdminFailure: failure
        case let error as StorageError: AdminFailure(error)
        case let error as ReportError: AdminFailure(.usage, error.detail)
        case let error as SettingsError: AdminFailure(.configuration, error.description)
        case let failure as HTTPFailure: AdminFailure(.unavailable, failure.description)
        case let failure as AddressFailure: AdminFailure(.usage, failure.description)
        case let failure as SimulationFailure:
            AdminFailure(exit(of: failure.kind), failure.description)
        case let failure as SealerFailure: AdminFailure(.usage, failure.description)
        default: AdminFailure(.software, "internal error: \(type(of: error))")
        }
    }

    /// With the secret file's name, where that is to blame: what is in a file is exit 65 in every command.
    static func describe(_ failure: SealerFailure, secretFile: String?) -> AdminFailure {
        guard let fault = failure.secretFault, let secretFile else { return describe(failure) }
        return AdminFailure(.dataError, "cannot use \(Files.name(of: secretFile)): \(fault)")
    }

    private static func exit(of kind: SimulationFailure.Kind) -> Service.ExitStatus {
        switch kind {
        case .usage: .usage
        case .refused: .dataError
        case .unavailable: .unavailable
        case .client: .software
        }
    }
}
