import ArgumentParser
import Query
import Reports
import Service

/// `sojourn device`: what is kept of one device, for its owner's requests for access and erasure.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Show, export or erase one device.",
        subcommands: [Show.self, Export.self, Erase.self])

    struct Show: Command {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what is kept of a device, in short.")

        @OptionGroup var device: Device
        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let administration = try Administration(settings: invocation.settings())
            let record = try administration.device(device.deviceID, of: device.app)
            invocation.show(
                DeviceText.members(record, app: device.app),
                text: DeviceText.lines(record, app: device.app))
        }
    }

    struct Export: Command {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Print every event of a device as a line of JSON, oldest first.")

        @OptionGroup var device: Device
        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            try Administration(settings: invocation.settings()).exportDevice(
                device.deviceID, of: device.app
            ) { invocation.output.write($0) }
        }
    }

    struct Erase: Command {
        static let configuration = CommandConfiguration(
            commandName: "erase",
            abstract: "Erase everything there is of a device, and leave a receipt.",
            discussion: """
                Stop the device first: what it sends afterwards is a new device's. Copies of the \
                database keep what they have; 'restore' erases it again by the receipt.
                """)

        @OptionGroup var device: Device
        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let administration = try Administration(settings: invocation.settings())
            let hash = try administration.hash(of: device.deviceID, in: device.app)
            let result = try administration.perform(
                .eraseDevice(app: device.app, device: hash.hex))
            guard case .erased(let erased) = result else {
                throw AdminFailure(.software, "unexpected answer")
            }
            invocation.show(
                result.members,
                text: "erased device \(erased.device)\(erased.isShared ? " (shared)" : "") of app "
                    + "\(erased.app): \(Counted.batches(erased.batches)), \(Counted.events(erased.events))\n"
                    + (erased.isShared
                        ? "many devices share this id: what all of them sent is gone\n" : "")
                    + (erased.isClean
                        ? ""
                        : "a reader holds the database's log up: traces go when that one is gone\n")
            )
        }
    }

    struct Device: ParsableArguments {
        @Option(help: "The app's id.")
        var app: String
        @Option(
            name: .customLong("device-id"),
            help: "The id as the device sends it: app.installation.id, or device.id without one.")
        var deviceID: String
    }
}

/// A device's record as `device show` prints it.
enum DeviceText {
    static func members(_ record: DeviceRecord, app: String) -> [(String, JSONValue)] {
        [
            ("app", .text(app)), ("device", .text(record.device.hex)),
            ("shared", .bool(record.isShared)),
            ("first_seen", integer(record.firstSeen)),
            ("first_event", integer(record.firstEvent)), ("last_event", integer(record.lastEvent)),
            ("first_arrival", integer(record.firstArrival)),
            ("last_arrival", integer(record.lastArrival)),
            ("batches", .integer(record.batches)), ("events", .integer(record.events)),
            ("rejected", .integer(record.rejected)), ("sessions", .integer(record.sessions)),
            (
                "resources",
                .array(
                    record.resources.map { members in
                        .object(members.map { ($0.name, .text($0.value.string)) })
                    })
            ),
        ]
    }

    static func lines(_ record: DeviceRecord, app: String) -> String {
        var lines: [[String]] = [
            ["app", app], ["device", record.device.hex + (record.isShared ? " (shared)" : "")],
            ["first seen", moment(record.firstSeen)],
            ["events", "\(record.events)" + span(record.firstEvent, record.lastEvent)],
            ["batches", "\(record.batches)" + span(record.firstArrival, record.lastArrival)],
            ["rejected events", "\(record.rejected)"], ["sessions", "\(record.sessions)"],
        ]
        for members in record.resources {
            lines.append(
                [
                    "resource",
                    members.map { "\($0.name) \($0.value.string)" }.joined(separator: ", "),
                ])
        }
        return TextTable.render(header: ["WHAT", "IS"], lines: lines)
    }

    private static func integer(_ value: Int64?) -> JSONValue {
        value.map(JSONValue.integer) ?? .null
    }

    private static func moment(_ value: Int64?) -> String { value.map(Moment.text) ?? "never" }

    private static func span(_ first: Int64?, _ last: Int64?) -> String {
        guard let first, let last else { return "" }
        return ", from \(Moment.text(first)) to \(Moment.text(last))"
    }
}
