import Events
import Foundation
import Service
import Testing
import Upkeep

@testable import Commands
@testable import Storage

/// docs/operation.md, Doctor. What is judged from values alone; `ProgramTests` runs the command.
@Suite("doctor")
struct DoctorTests {
    private static let now: Int64 = BuildInfo.date + 86_400_000 * 100
    private static let day: Int64 = 86_400_000

    private func contents(_ keys: [IngestKey], use: [Int64: (batches: Int64, last: Int64)])
        -> Checkup.Contents
    {
        Checkup.Contents(
            snapshot: RegistrySnapshot(version: 1, apps: [], keys: keys, tokens: []), use: use,
            clock: Self.clock())
    }

    private static func clock(
        now: Int64 = DoctorTests.now, newest: Int64? = nil, accepted: Int64? = nil
    ) -> ClockSummary {
        let clock = ArrivalClock(ClockRecord(newest: newest, accepted: accepted), now: now)
        return ClockSummary(clock, at: now, newestArrival: newest, floor: nil)
    }

    private func key(_ id: Int64, _ profile: Profile, revokedAt: Int64? = nil) -> IngestKey {
        IngestKey(
            id: id, name: "k\(id)", app: 1, profile: profile, algorithm: nil, secret: [],
            createdAt: 0, revokedAt: revokedAt)
    }

    @Test("a legacy key is a weak spot while it is in use, and no longer")
    func legacyKeys() {
        let last = DoctorTests.now - 30 * DoctorTests.day
        let found = Checkup.legacyKeys(
            contents(
                [
                    key(1, .legacy), key(2, .legacy), key(3, .legacy), key(4, .aes128gcm),
                    key(5, .legacy, revokedAt: 1),
                ],
                use: [1: (7, last), 2: (9, last - 1), 4: (1, last), 5: (1, last)]),
            now: DoctorTests.now)
        #expect(found.map(\.state) == [.warning, .note, .note])
        #expect(found[0].detail.contains("k1") && found[0].detail.contains("7 batches"))
        let none = Checkup.legacyKeys(
            contents([key(4, .aes128gcm), key(5, .legacy, revokedAt: 1)], use: [5: (1, last)]),
            now: DoctorTests.now)
        #expect(none.map(\.state) == [.ok])
    }

    @Test(
        "an app that gets batches by OTLP has a session timeout of 15 minutes at most, or a warning"
    )
    func sessionTimeouts() {
        let apps = [(1, 15), (2, 30), (3, 30), (4, 16)].map { id, minutes in
            App(
                id: Int64(id), name: "app\(id)", title: "", timeZone: "UTC",
                sessionTimeout: Int64(minutes) * 60_000, allowsPlain: true, createdAt: 0)
        }
        var contents = Checkup.Contents(
            snapshot: RegistrySnapshot(version: 1, apps: apps, keys: [], tokens: []), use: [:],
            clock: Self.clock())
        #expect(Checkup.sessionTimeouts(contents).isEmpty)
        contents.appsOfOTLP = [1, 2, 4]
        let found = Checkup.sessionTimeouts(contents)
        #expect(found.map(\.state) == [.warning, .warning])
        #expect(found[0].detail.contains("app2 gets") && found[0].detail.contains("30m"))
        #expect(found[1].detail.contains("app set app4 --session-timeout 15m"))
    }

    @Test(
        "plain bodies are a weak spot where others reach the listener",
        arguments: [
            ([], ["0.0.0.0:8080"], CheckupResult.State.ok), (["shop"], ["127.0.0.1:8080"], .ok),
            (["shop"], ["[::1]:8080", "localhost:80", "unix:/run/s.sock"], .ok),
            (["shop"], ["127.0.0.1:8080", "0.0.0.0:8080"], .warning),
            (["shop", "two"], ["[::]:8080"], .warning), (["shop"], ["192.0.2.1:80"], .warning),
        ])
    func plain(apps: [String], listen: [String], state: CheckupResult.State) {
        #expect(Checkup.plain(apps, listen).state == state)
    }

    @Test(
        "reports and metrics that others reach are weak spots",
        arguments: [
            (["127.0.0.1:1"], nil, [CheckupResult.State.ok]),
            (["127.0.0.1:1"], "127.0.0.1:2", [.ok]),
            (["0.0.0.0:1"], nil, [.warning]), (["127.0.0.1:1"], "0.0.0.0:2", [.warning]),
            (["[::]:1"], "[::]:2", [.warning, .warning]),
        ] as [([String], String?, [CheckupResult.State])])
    func listeners(reports: [String], admin: String?, states: [CheckupResult.State]) {
        #expect(Checkup.listeners(reports: reports, admin: admin).map(\.state) == states)
    }

    @Test(
        "the clock is judged as the server judges it, and by who vouches for it",
        arguments: [
            (now, nil, CheckupResult.State.note), (now, now, .note), (now, now + 1, .warning),
            (now, now + day, .warning), (now, now + day + 1, .broken),
            (BuildInfo.date, nil, .note), (BuildInfo.date - 1, nil, .broken),
        ] as [(Int64, Int64?, CheckupResult.State)])
    func clock(now: Int64, newest: Int64?, state: CheckupResult.State) {
        func result(accepted: Int64?, waiting: [String]) -> CheckupResult {
            Checkup.clock(
                Self.clock(now: now, newest: newest, accepted: accepted), waiting: waiting)
        }
        #expect(result(accepted: nil, waiting: []).state == state)
        if now < BuildInfo.date { return }
        #expect(result(accepted: now, waiting: ["retention"]).state == .ok)
        if state == .broken { return }
        let waiting = result(accepted: nil, waiting: ["retention"])
        #expect(waiting.state == .warning && waiting.detail.contains("retention waits"))
    }

    @Test(
        "a disk may be full, nearly full, read-only or far away",
        arguments: [
            (1 << 30, false, false, CheckupResult.State.ok),
            ((1 << 30) - 1, false, false, .warning),
            (16 << 20, false, false, .warning), ((16 << 20) - 1, false, false, .broken),
            (1 << 40, true, false, .broken), (1 << 40, false, true, .warning),
        ] as [(UInt64, Bool, Bool, CheckupResult.State)])
    func disk(room: UInt64, isReadOnly: Bool, isRemote: Bool, state: CheckupResult.State) {
        #expect(
            Checkup.disk(room: room, isReadOnly: isReadOnly, isRemote: isRemote).state == state)
    }

    @Test(
        "what the system says of mounts tells a far disk from a near one",
        arguments: [(UInt(0x2a), true), (0x801, false), (0x1231_0345, true), (0x999, false)])
    func mounts(device: UInt, isRemote: Bool) {
        let mounts = """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            40 22 0:42 / /srv rw shared:7 master:1 - nfs4 host:/srv rw
            41 22 259:74565 / /far rw - cifs //host/far rw
            42 22 nonsense
            """
        #expect(Checkup.isRemote(device: device, mounts) == isRemote)
    }

    private func memory(
        bodies: Int, reports: Int = 128 << 20, answers: Int = 64 << 20
    ) -> CheckupResult.State {
        Checkup.memory(1 << 30, bodies: bodies, reports: reports, answers: answers).state
    }

    @Test("limits are compared with what the settings may need")
    func limits() {
        #expect(Checkup.descriptors(allowed: 1024, wanted: 1024).state == .ok)
        #expect(Checkup.descriptors(allowed: 1023, wanted: 1024).state == .warning)
        #expect(memory(bodies: 512 << 20) == .ok)
        #expect(memory(bodies: (512 << 20) + 1) == .warning)
        #expect(memory(bodies: 512 << 20, reports: 130 << 20) == .warning)
        #expect(memory(bodies: 512 << 20, answers: 65 << 20) == .warning)
        #expect(memory(bodies: .max) == .warning)
    }

    @Test("whatever others may use is named, and who else owns a file")
    func permissions() {
        func file(
            _ path: String, _ mode: UInt32, _ role: FileAccess.Role = .other, owner: UInt32 = 7
        ) -> FileAccess {
            FileAccess(path: path, role: role, mode: mode, owner: owner)
        }
        func folder(_ mode: UInt32) -> FileAccess { file("/d", mode, .directory) }
        let good = Checkup.permissions([folder(0o700), file("/d/a", 0o600), file("/d/b", 0o400)])
        #expect(good.map(\.state) == [.ok])
        for mode: UInt32 in [0o640, 0o604, 0o610, 0o602] {
            let bad = Checkup.permissions([folder(0o700), file("/d/a", mode)])
            #expect(bad.map(\.state) == [.warning] && bad[0].detail.contains("/d/a"), "\(mode)")
        }
        let bad = Checkup.permissions([folder(0o755), file("/d/a", 0o600, owner: 8)])
        #expect(bad.map(\.state) == [.warning, .warning])
        #expect(bad[0].detail.contains("0755") && bad[1].detail.contains("user 8"))
        for refused in [[folder(0o702)], [folder(0o700), file("/k", 0o606, .masterKey)]] {
            #expect(Checkup.permissions(refused).map(\.state) == [.broken])
        }
    }

    @Test(
        "a master key beside the database is noted",
        arguments: [
            ("/d/master.key", CheckupResult.State.note), ("/d/keys/k", .note),
            ("/k/master.key", .ok),
            ("/dd/master.key", .ok),
        ])
    func masterKey(path: String, state: CheckupResult.State) {
        #expect(Checkup.masterKey(at: path, directory: "/d").state == state)
    }

    @Test("an app whose time zone tzdata does not have gets no reports, and is named")
    func timeZones() {
        func app(_ name: String, _ zone: String) -> App {
            App(
                id: 1, name: name, title: "", timeZone: zone, sessionTimeout: 1, allowsPlain: true,
                createdAt: 0)
        }
        let apps = [app("a", "UTC"), app("b", "US/Gone"), app("c", "Europe/Paris")]
        let found = Checkup.timeZones(apps)
        #expect(found.map(\.state) == [.broken])
        #expect(found[0].detail.contains("US/Gone") && found[0].detail.contains("app b"))
        #expect(Checkup.timeZones([apps[0], apps[2]]).map(\.state) == [.ok])
        #expect(Checkup.timeZones([]).map(\.state) == [.ok])
    }

    @Test("a log that is long is a weak spot while somebody holds it, who is named")
    func wal() {
        let readers = ["the server's report active, since X", "process 7 (sqlite3)"]
        #expect(Checkup.wal(bytes: 0, readers: []).state == .ok)
        #expect(Checkup.wal(bytes: 1 << 20, readers: readers).state == .ok)
        #expect(Checkup.wal(bytes: 5 << 20, readers: []).state == .ok)
        let note = Checkup.wal(bytes: 5 << 20, readers: readers)
        #expect(note.state == .note && readers.allSatisfy { note.detail.contains($0) })
        let warning = Checkup.wal(bytes: 900 << 20, readers: readers)
        #expect(warning.state == .warning && warning.detail.contains("900 MiB"))
        #expect(Checkup.wal(bytes: 900 << 20, readers: []).state == .ok)
    }

    @Test("only damage and a wrong key speak against the database; an old schema is a weak spot")
    func unreadable() throws {
        #expect(try Checkup.unreadable(.damaged(path: "x", found: "y")).state == .broken)
        #expect(try Checkup.unreadable(.keyMissing(path: "x", database: "y")).state == .broken)
        #expect(
            try Checkup.unreadable(.olderSchema(path: "x", version: 1, known: 2)).state == .warning)
        #expect(throws: AdminFailure.self) {
            try Checkup.unreadable(.system(operation: "open", path: "x", errno: EACCES))
        }
    }
}
