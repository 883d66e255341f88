import Core
import Foundation

#if canImport(UIKit)
import UIKit
#endif

/// Follows the app into the foreground and the background by the names of the system's notifications, so
/// that no symbol is needed that extensions may not use (client.md §2).
enum LifeCycle {
    private static let foreground = [
        "UIApplicationWillEnterForegroundNotification", "UIApplicationDidBecomeActiveNotification",
        "NSApplicationDidBecomeActiveNotification",
        "NSExtensionHostWillEnterForegroundNotification",
        "NSExtensionHostDidBecomeActiveNotification",
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
        // An app that starts late, after asking for consent, gets no notification of its launch.
        DispatchQueue.main.async { if isActive { client.foreground() } }
        add(background) { inBackground(client) }
        add(termination) {
            // The process ends when this returns: what was recorded is on the disk before.
            let done = DispatchSemaphore(value: 0)
            client.terminate { done.signal() }
            _ = done.wait(timeout: .now() + 1)
        }
    }

    /// Whether the app is active now, asked by names, too; on the main thread.
    private static var isActive: Bool {
        #if canImport(ObjectiveC)
        func object(_ type: String, _ selector: String) -> NSObject? {
            let selector = NSSelectorFromString(selector)
            guard let type = NSClassFromString(type) as? NSObject.Type, type.responds(to: selector)
            else { return nil }
            return type.perform(selector)?.takeUnretainedValue() as? NSObject
        }
        // An extension has no application.
        guard !Bundle.main.bundlePath.hasSuffix(".appex") else { return false }
        #if os(macOS)
        return object("NSRunningApplication", "currentApplication")?.value(forKey: "active")
            as? Bool ?? false
        #else
        let names = ["UIApplication", "WKApplication", "WKExtension"]
        let application = names.lazy.compactMap { object($0, "shared" + $0.dropFirst(2)) }.first
        return application?.value(forKey: "applicationState") as? Int == 0
        #endif
        #else
        return false
        #endif
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
            if isExpired {
                // The app is suspended when this returns: the failure is noted before.
                let noted = DispatchSemaphore(value: 0)
                client.expire { noted.signal() }
                _ = noted.wait(timeout: .now() + 0.2)
            } else {
                _ = done.wait(timeout: .now() + 6)
            }
        }
        #else
        client.background()
        #endif
    }
}
