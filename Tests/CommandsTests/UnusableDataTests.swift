import Database
import Foundation
import Service
import TestSupport
import Testing

@testable import Commands
@testable import Storage
@testable import Upkeep

/// What commands say of a data directory that is not as it was, or not where it can be used.
@Suite("commands on data that cannot be used as it is")
struct UnusableDataTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "sojourn-unusable-\(UUID().uuidString)").path

    private func run(
        _ arguments: String...
    ) -> (exit: Service.ExitStatus, output: String, errors: String) {
        let output = Capture()
        let errors = Capture()
        let exit = Program.run(
            arguments + ["--data", folder], environment: [:], output: output, errors: errors)
        return (exit, output.text, errors.text)
    }

    @Test(
        "a closed database is read on a read-only file system, of which doctor tells",
        .enabled(if: ReadOnlyMount.isPossible, "this user cannot mount"))
    func readOnly() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        try ReadOnlyMount.with(folder) {
            #expect(run("app", "list").output.contains("shop"))
            #expect(run("report", "active", "--app", "shop").exit == .ok)
            #expect(run("verify").exit == .ok)
            #expect(run("app", "add", "two").errors.contains("; mount its file system writable"))
            let found = run("doctor")
            #expect(found.exit == .dataError)
            #expect(found.output.contains("broken  disk"), "\(found.output)")
            #expect(found.output.contains("ok      database"), "\(found.output)")
            let json = run("doctor", "--json")
            #expect(json.exit == .dataError && json.output.hasPrefix(#"{"broken":1,"#))
            #expect(json.output.contains(#"{"check":"disk","state":"broken","#))
        }
    }

    @Test(
        "doctor names a log that cannot be read there",
        .enabled(if: ReadOnlyMount.isPossible, "this user cannot mount"))
    func readOnlyLog() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        try Data(count: 32).write(to: URL(filePath: folder + "/sojourn.db-wal"))
        try ReadOnlyMount.with(folder) {
            #expect(run("app", "list").exit == .io)
            let json = run("doctor", "--json")
            #expect(json.exit == .dataError && json.output.hasPrefix(#"{"broken":2,"#))
            #expect(json.output.contains("sojourn.db-wal cannot be read on a read-only"))
        }
    }

    @Test("verify --json prints its object also of a database that is too damaged to be opened")
    func damaged() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        let whole = try Data(contentsOf: URL(filePath: folder + "/sojourn.db"))
        let damages = [
            Data(), whole.dropLast(4096), whole.dropLast(), Data(count: whole.count),
        ]
        for damage in damages {
            try damage.write(to: URL(filePath: folder + "/sojourn.db"))
            let json = run("verify", "--json")
            #expect(json.exit == .dataError)
            let start =
                #"{"good":false,"batches":0,"events":0,"devices":0,"findings":[{"subject":"the file","fault":"cannot be opened: "#
            #expect(json.output.hasPrefix(start), "\(json.output)")
            #expect(
                json.output.hasSuffix(
                    #"","advice":"bring back a backup"}],"findings_left_out":0,"#
                        + #""digests_checked":false}"# + "\n"))
            #expect(json.output.count { $0 == "\n" } == 1)
            let text = run("verify")
            #expect(text.exit == .dataError && text.output.isEmpty)
            #expect(text.errors == json.errors && text.errors.contains(" is damaged: "))
        }
        // Its log alone.
        try FileManager.default.removeItem(atPath: folder + "/sojourn.db")
        try Data(count: 32).write(to: URL(filePath: folder + "/sojourn.db-wal"))
        #expect(run("verify", "--json").output.hasPrefix(#"{"good":false,"#))
    }

    @Test(
        "verify looks without the master key at all but digests, and says so; others want the key")
    func withoutKey() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        let whole = run("verify")
        #expect(whole.exit == .ok && !whole.output.contains("digests"))
        #expect(run("verify", "--json").output.hasSuffix(#","digests_checked":true}"# + "\n"))
        let key = folder + "/master.key"
        try FileManager.default.removeItem(atPath: key)
        let found = run("verify")
        #expect(found.exit == .ok)
        #expect(found.output.hasSuffix("; digests were not checked: no master key at \(key)\n"))
        #expect(run("verify", "--json").output.hasSuffix(#","digests_checked":false}"# + "\n"))
        let before = try Data(contentsOf: URL(filePath: folder + "/sojourn.db"))
        let migration = run("migrate")
        #expect(migration.exit == .configuration && migration.errors.contains(key))
        #expect(try Data(contentsOf: URL(filePath: folder + "/sojourn.db")) == before)
    }

    @Test("what can be set right needs no backup: doctor names it, and verify says how")
    func changed() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        func change(_ sql: String) throws {
            let connection = try Connection(path: folder + "/sojourn.db", mode: .write)
            try connection.execute(sql + "; PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try change("PRAGMA user_version=77")
        let doctor = run("doctor", "--json")
        #expect(doctor.exit == .dataError)
        #expect(
            doctor.output.contains(#"{"check":"database","state":"broken","#), "\(doctor.output)")
        #expect(doctor.output.contains("set it back with PRAGMA user_version=0"))
        let verify = run("verify")
        #expect(verify.exit == .dataError)
        #expect(verify.output.contains("set it back with PRAGMA user_version=0"))
        #expect(verify.errors.contains("1 finding, and with each stands what helps"))
        #expect(!verify.errors.contains("backup"))
        try change("PRAGMA user_version=0")
        #expect(run("doctor", "--json").output.contains(#"{"check":"database","state":"ok","#))
        #expect(run("verify").exit == .ok)
    }

    @Test("doctor names what lies in the way of receipts, the lock and the control socket")
    func inTheWay() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        #expect(run("doctor", "--json").output.contains(#"{"check":"files","state":"ok","#))
        try FileManager.default.removeItem(atPath: folder + "/sojourn.lock")
        #expect(mkfifo(folder + "/erased", 0o600) == 0)
        #expect(symlink("nowhere", folder + "/sojourn.lock") == 0)
        try Data().write(to: URL(filePath: folder + "/control.sock"))
        let found = run("doctor")
        #expect(found.exit == .dataError)
        for text in [
            "erased is a pipe", "sojourn.lock is a symbolic link", "control.sock is a regular file",
        ] {
            #expect(found.output.contains("/\(text); "), "\(found.output)")
        }
    }

    @Test("what is no damage to the database has no object of findings")
    func notDamaged() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(run("verify", "--json").exit == .io)
        _ = run("app", "add", "shop")
        try Data(count: 32).write(to: URL(filePath: folder + "/master.key"))
        let other = run("verify", "--json")
        #expect(other.exit == .configuration && other.output.isEmpty)
    }

    @Test("an erasure that the start has carried out already is told from a device that never was")
    func erased() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        _ = run("app", "add", "two")
        let directory = DataDirectory(folder)
        let key = try MasterKey.read(directory.masterKey, of: directory.database)
        let hash = RawDeviceID.hash("phone", app: "shop", key: key)
        _ = try ErasureReceipts.append(
            [ErasureReceipt(app: "shop", device: hash, moment: 1_763_700_000_000)],
            to: directory.erased)
        let again = run("device", "erase", "--app", "shop", "--device-id", "phone")
        #expect(again.exit == .dataError && again.output.isEmpty)
        #expect(
            again.errors.contains("erased already, by the receipt of 2025-11-21T04:40:00.000Z"),
            "\(again.errors)")
        for (app, device) in [("shop", "phone2"), ("two", "phone")] {
            let never = run("device", "erase", "--app", app, "--device-id", device)
            #expect(never.exit == .dataError)
            #expect(never.errors.contains("no stored batch came with this id"), "\(never.errors)")
        }
    }
}
