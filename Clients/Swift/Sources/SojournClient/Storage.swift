import Foundation

/// Where a journal lies.
enum Storage {
    /// `Sojourn` in the app's own container, never in a shared one.
    static var folder: String {
        #if os(tvOS)
        // An Apple TV has no other folder that stays, and may empty this one while the app does not run.
        let place = FileManager.SearchPathDirectory.cachesDirectory
        #else
        let place = FileManager.SearchPathDirectory.applicationSupportDirectory
        #endif
        let folders = FileManager.default.urls(for: place, in: .userDomainMask)
        return (folders.first?.path ?? NSTemporaryDirectory()) + owner + "/Sojourn"
    }

    /// Where all of a user's apps have one folder: the app's own in it.
    private static var owner: String {
        #if os(macOS) || os(Linux) || targetEnvironment(macCatalyst)
        "/" + (Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)
        #else
        ""
        #endif
    }

    /// The folder in a group's container; nil where the app may not use it, or the system has no groups.
    static func folder(ofGroup group: String) -> String? {
        #if canImport(Darwin)
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
            .map { $0.path + "/Sojourn" }
        #else
        nil
        #endif
    }

    /// Made to be left out of backups, and to be readable after the first unlock.
    static func protect(_ folder: String) {
        #if canImport(Darwin)
        var url = URL(fileURLWithPath: folder, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? url.setResourceValues(values)
        #if !os(macOS)
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
            ofItemAtPath: folder)
        #endif
        #endif
    }
}
