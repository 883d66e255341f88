import Foundation
import Service
import Testing

@testable import Commands

/// How settings and parameters of reports are taken out of arguments
/// (docs/decisions/0047-settings-are-taken-out-first.md).
@Suite("named values")
struct NamedValuesTests {
    private func taken(_ arguments: String...) throws -> (pairs: [String], rest: [String]) {
        let values = try NamedValues(arguments) { ["data", "listen", ""].contains($0) }
        return (values.pairs.map { "\($0.name):\($0.value)" }, values.rest)
    }

    @Test("values are taken wherever they stand, in their order, and the rest stays in its own")
    func order() throws {
        let (pairs, rest) = try taken(
            "--data", "a", "app", "--name", "--listen=b=c", "add", "--listen", "d", "-data", "x")
        #expect(pairs == ["data:a", "listen:b=c", "listen:d"])
        #expect(rest == ["app", "--name", "add", "-data", "x"])
    }

    @Test("an empty value is one, and takes nothing of what follows")
    func empty() throws {
        let (pairs, rest) = try taken("--data=", "a", "--listen", "", "b", "--=c")
        #expect(pairs == ["data:", "listen:", ":c"] && rest == ["a", "b"])
    }

    @Test("what follows a name is its value, whatever it looks like")
    func hyphens() throws {
        let (pairs, rest) = try taken("--data", "--listen", "--listen", "--", "-x")
        #expect(pairs == ["data:--listen", "listen:--"] && rest == ["-x"])
    }

    @Test("nothing is taken after two hyphens")
    func terminator() throws {
        let (pairs, rest) = try taken("--data", "a", "--", "--data", "b", "--listen")
        #expect(pairs == ["data:a"] && rest == ["--", "--data", "b", "--listen"])
    }

    @Test("a name without a value is wrong usage")
    func missing() throws {
        let failure = try #require(throws: AdminFailure.self) {
            try taken("app", "--data", "a", "--listen")
        }
        #expect(failure.exit == .usage && failure.description == "option --listen needs a value")
    }

    @Test("a command line with an empty setting is refused, and reads no other folder")
    func refused() {
        let errors = Capture()
        let exit = Program.run(
            ["app", "list", "--data=", "/nowhere"], environment: [:], output: Capture(),
            errors: errors)
        #expect(exit == .usage && errors.text.contains("'/nowhere'"), "\(errors.text)")
        let named = Capture()
        #expect(
            Program.run(
                ["app", "list", "--data="], environment: [:], output: Capture(), errors: named)
                == .configuration)
        #expect(named.text.contains("setting data from command line"), "\(named.text)")
    }

    @Test("--json counts before two hyphens only")
    func json() throws {
        func invocation(_ arguments: [String]) throws -> Invocation {
            try Invocation(arguments, environment: [:], output: Capture(), errors: Capture())
        }
        let before = try invocation(["a", "--json", "--json", "b", "--", "--json"])
        #expect(before.wantsJSON && before.arguments == ["a", "b", "--", "--json"])
        let after = try invocation(["a", "--json=1", "--", "--json"])
        #expect(!after.wantsJSON && after.arguments == ["a", "--json=1", "--", "--json"])
    }
}
