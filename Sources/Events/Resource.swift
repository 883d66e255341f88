/// What a batch says of the device and the app that sent it (docs/protocol.md, The batch). A text
/// that was not given, or given empty, is "". Two are equal if all their bytes are.
package struct Resource: Sendable {
    /// `os.name`
    package var osName = ""
    /// `os.version`
    package var osVersion = ""
    /// `device.model.identifier`
    package var deviceModel = ""
    /// `device.manufacturer`
    package var deviceManufacturer = ""
    /// `service.version`
    package var serviceVersion = ""
    /// `app.build_id`
    package var appBuildID = ""
    /// `telemetry.sdk.name`
    package var sdkName = ""
    /// `telemetry.sdk.version`
    package var sdkVersion = ""

    package init() {}

    /// The members' names on the wire, in the order of the contract and of the columns of
    /// `resource`.
    package static let members = [
        "os.name", "os.version", "device.model.identifier", "device.manufacturer",
        "service.version", "app.build_id", "telemetry.sdk.name", "telemetry.sdk.version",
    ]

    /// What says which device it is, on the wire: where the first is there it alone counts. Not stored.
    package static let identities = ["app.installation.id", "device.id"]

    /// The text of the member at that index in `members`.
    package subscript(index: Int) -> String {
        get {
            switch index {
            case 0: osName
            case 1: osVersion
            case 2: deviceModel
            case 3: deviceManufacturer
            case 4: serviceVersion
            case 5: appBuildID
            case 6: sdkName
            case 7: sdkVersion
            default: preconditionFailure("a resource has 8 members")
            }
        }
        set {
            switch index {
            case 0: osName = newValue
            case 1: osVersion = newValue
            case 2: deviceModel = newValue
            case 3: deviceManufacturer = newValue
            case 4: serviceVersion = newValue
            case 5: appBuildID = newValue
            case 6: sdkName = newValue
            case 7: sdkVersion = newValue
            default: preconditionFailure("a resource has 8 members")
            }
        }
    }

    /// All texts in the order of `members`.
    package var texts: [String] { Resource.members.indices.map { self[$0] } }
}

/// By UTF-8 bytes, as the database compares. `String` holds canonically equivalent texts for one
/// (é as one scalar and as two), and which of them got the row would depend on which came first.
extension Resource: Hashable {
    package static func == (left: Resource, right: Resource) -> Bool {
        isEqual(left.osVersion, right.osVersion) && isEqual(left.deviceModel, right.deviceModel)
            && isEqual(left.serviceVersion, right.serviceVersion)
            && isEqual(left.appBuildID, right.appBuildID) && isEqual(left.osName, right.osName)
            && isEqual(left.deviceManufacturer, right.deviceManufacturer)
            && isEqual(left.sdkName, right.sdkName) && isEqual(left.sdkVersion, right.sdkVersion)
    }

    private static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8.span, right.utf8.span)
        guard left.count == right.count else { return false }
        for index in 0..<left.count where left[unchecked: index] != right[unchecked: index] {
            return false
        }
        return true
    }

    package func hash(into hasher: inout Hasher) {
        for index in 0..<Resource.members.count {
            let text = self[index]
            text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
            // No byte of UTF-8: where one text ends is part of what is hashed.
            hasher.combine(0xff as UInt8)
        }
    }
}
