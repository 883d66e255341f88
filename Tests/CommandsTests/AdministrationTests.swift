import Database
import Foundation
import Service
import Storage
import Synchronization
import Testing
import Upkeep

@testable import Commands

/// A command that writes where another process has the directory (docs/operation.md, Commands).
@Suite("a data directory that another process has")
struct AdministrationTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "sojourn-administration-\(UUID().uuidString)").path

    /// Adds an app while a store that does not listen is open.
    /// - Parameter pauses: after so many the store is closed
    /// - Returns: what came of it, and how often it paused
    private func addApp(closingAfter pauses: Int) throws -> (Result<AdminResult, any Error>, Int) {
        let settings = try Invocation(
            ["--data", folder], environment: [:], output: Capture(), errors: Capture()
        ).settings()
        let other = try Store.open(settings.storage)
        let paused = Mutex(0)
        let polling = Polling { _ in
            let count = paused.withLock { paused in
                paused += 1
                return paused
            }
            if count == pauses { try? other.close() }
        }
        let result = Result {
            try Administration(settings: settings, polling: polling).perform(
                .addApp(AdminOperation.AppChange(app: "shop")))
        }
        return (result, paused.withLock { $0 })
    }

    @Test("is waited for while it may begin to listen or end")
    func waits() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (result, pauses) = try addApp(closingAfter: 2)
        guard case .success(.app(let app)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(app.app == "shop" && pauses == 2)
    }

    @Test("that does neither in three seconds is told of")
    func gone() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (result, pauses) = try addApp(closingAfter: .max)
        #expect(pauses == 30)
        let failure = try #require(throws: AdminFailure.self) { try result.get() }
        #expect(failure.exit == .busy)
        #expect(failure.description.contains("in use by a process that does not answer"))
    }
}
