public import Foundation

// As much of UIKit, and of Foundation on Apple's systems, as the client and the sample app use: for Linux, where neither
// is.

@MainActor
open class UIView: NSObject {}

extension ProcessInfo {
    /// After how many seconds the system takes an activity's time away; nil for never.
    nonisolated(unsafe) public static var expiry: Double?

    public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
    ) {
        DispatchQueue.global().async { block(false) }
        if let expiry = Self.expiry {
            DispatchQueue.global().asyncAfter(deadline: .now() + expiry) { block(true) }
        }
    }
}
