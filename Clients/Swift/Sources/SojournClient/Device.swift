import Foundation
import JSON

/// What a batch says of the device and the app (client.md §1): the `resource` but for the installation's
/// id.
enum Device {
    static let sdkVersion = "0.1.0"

    /// A JSON object.
    static func resource(version: String?) -> [UInt8] {
        let info = Bundle.main.infoDictionary ?? [:]
        var writer = Writer()
        writer.beginObject()
        func member(_ name: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            // 128 bytes at most, by the scalar.
            var short = value
            while short.utf8.count > 128 { short.unicodeScalars.removeLast() }
            writer.member(name, short.replacingOccurrences(of: "\0", with: ""))
        }
        member("os.name", systemName)
        member("os.version", systemVersion)
        member("device.model.identifier", model)
        #if canImport(Darwin)
        member("device.manufacturer", "Apple")
        #endif
        member("service.version", version ?? info["CFBundleShortVersionString"] as? String ?? "0")
        member("app.build_id", info["CFBundleVersion"] as? String)
        member("telemetry.sdk.name", "sojourn-swift")
        member("telemetry.sdk.version", sdkVersion)
        writer.endObject()
        return writer.bytes
    }

    private static var systemName: String {
        #if os(macOS) || targetEnvironment(macCatalyst)
        "macOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #elseif os(visionOS)
        "visionOS"
        #elseif os(iOS)
        model.hasPrefix("iPad") ? "iPadOS" : "iOS"
        #else
        "Linux"
        #endif
    }

    private static var systemVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let short = "\(version.majorVersion).\(version.minorVersion)"
        return version.patchVersion > 0 ? "\(short).\(version.patchVersion)" : short
    }

    /// `hw.machine`, of the simulated device in a simulator; `hw.model` on macOS.
    private static var model: String {
        if let simulated = ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] {
            return simulated
        }
        #if os(macOS) || targetEnvironment(macCatalyst)
        return control("hw.model")
        #elseif canImport(Darwin)
        return control("hw.machine")
        #else
        var name = utsname()
        uname(&name)
        return withUnsafePointer(to: &name.machine) {
            $0.withMemoryRebound(to: CChar.self, capacity: 65) { String(cString: $0) }
        }
        #endif
    }

    #if canImport(Darwin)
    private static func control(_ name: String) -> String {
        var size = 0
        guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 0 else { return "" }
        var value = [UInt8](repeating: 0, count: size)
        guard sysctlbyname(name, &value, &size, nil, 0) == 0 else { return "" }
        return String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
    }
    #endif
}
