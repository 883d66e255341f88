import Core
import Foundation

#if canImport(UIKit)
import UIKit
#endif

/// Follows the app into the foreground and the background by the names of the system's notifications, so
/// that nothing of UIKit is linked, in extensions neither (client.md §2).
enum LifeCycle {
    private static let foreground = [
        "UIApplicationWillEnterForegroundNotification", "UIApplicationDidBecomeActiveNotification",
        "NSApplicationDidBecomeActiveNotification",
        "NSExtensionHostWillEnterForegroundNotification",
        "WKApplicationWillEnterForegroundNotification", "WKApplicationDidBecomeActiveNotification",
    ]
    private static let background = [
        "UIApplicationDidEnterBackgroundNotification", "NSApplicationDidResignActiveNotification",
        "NSExtensionHostDidEnterBackgroundNotification",
        "WKApplicationDidEnterBackgroundNotification",
    ]
    private static let termination = [
        "UIApplicationWillTerminateNotification", "NSApplicationWillTerminateNotification",
    ]
    private static let isObserved = Locked(false)

    static func observe(_ client: Client) {
        let isFirst = isObserved.use { isObserved in
            defer { isObserved = true }
            return !isObserved
        }
        guard isFirst else { return }
        add(foreground) { client.foreground() }
        add(background) { inBackground(client) }
        add(termination) {
            // The process ends when this returns: what was recorded is on the disk before.
            let done = DispatchSemaphore(value: 0)
            client.terminate { done.signal() }
            _ = done.wait(timeout: .now() + 1)
        }
    }

    private static func add(_ names: [String], _ body: @escaping @Sendable () -> Void) {
        for name in names {
            _ = NotificationCenter.default.addObserver(
                forName: Notification.Name(name), object: nil, queue: nil
            ) { _ in body() }
        }
    }

    /// The system lets the app go on for as long as the block runs, and says when it will not any longer.
    private static func inBackground(_ client: Client) {
        #if canImport(UIKit)
        let done = DispatchSemaphore(value: 0)
        client.background { done.signal() }
        ProcessInfo.processInfo.performExpiringActivity(withReason: "Sojourn") { isExpired in
            if isExpired { client.expire() } else { done.wait() }
        }
        #else
        client.background()
        #endif
    }
}
