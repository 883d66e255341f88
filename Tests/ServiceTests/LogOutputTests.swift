import Foundation
import TestSupport
import Testing

@testable import Service

/// docs/operation.md, Logs: what is logged never holds up anything.
@Suite("where log lines go")
struct LogOutputTests {
    /// A pipe whose reader reads when it is told to.
    private final class LogPipe: Sendable {
        let reader: Int32
        let writer: Int32

        init() {
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            (reader, writer) = (ends[0], ends[1])
        }

        deinit {
            close(reader)
            close(writer)
        }

        /// All that comes until a line ends with the given text.
        func read(until end: String) -> [String] {
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 65536)
            while !bytes.suffix(end.utf8.count + 1).elementsEqual("\(end)\n".utf8) {
                var wait = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
                guard poll(&wait, 1, 60_000) > 0 else { break }
                let count = Foundation.read(reader, &piece, piece.count)
                guard count > 0 else { break }
                bytes += piece[..<count]
            }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private func output(to pipe: LogPipe) -> LogOutput {
        let output = LogOutput(descriptor: pipe.writer)
        output.describeDropped { "dropped \($0)\n" }
        return output
    }

    /// As long as most are.
    private static func line(_ number: Int) -> String {
        "\(number) " + String(repeating: "x", count: 200) + " \(number)"
    }

    @Test("lines come in their order, each once")
    func order() {
        let pipe = LogPipe()
        let output = output(to: pipe)
        for number in 0..<3000 { output.write(Array("\(Self.line(number))\n".utf8)) }
        #expect(pipe.read(until: Self.line(2999)) == (0..<3000).map(Self.line))
    }

    @Test("nobody waits for a reader that stands still; what is dropped is counted, and told once")
    func standstill() throws {
        let pipe = LogPipe()
        let output = output(to: pipe)
        let begun = ContinuousClock.now
        let written = 20_000
        for number in 0..<written { output.write(Array("\(Self.line(number))\n".utf8)) }
        output.finish(within: .milliseconds(50))
        #expect(begun.duration(to: .now) < Patience.prompt)
        // No further line makes it tell.
        var lines: [String] = []
        let deadline = ContinuousClock.now + Patience.most
        repeat {
            lines += pipe.read(until: "")
        } while !lines.contains { $0.hasPrefix("dropped ") } && ContinuousClock.now < deadline
        let index = try #require(lines.firstIndex { $0.hasPrefix("dropped ") })
        #expect(lines[..<index].elementsEqual((0..<index).map(Self.line)))
        #expect(lines[index...] == ["dropped \(written - index)"])
        // Some 1 MiB waited beside what the pipe holds, and not more.
        #expect((3000..<7000).contains(index))
        output.write(Array("again\n".utf8))
        #expect(pipe.read(until: "again") == ["again"])
    }

    @Test("a gap is told of before the lines that come after it, in whichever order room comes")
    func gap() {
        let pipe = LogPipe()
        let output = output(to: pipe)
        for number in 0..<20_000 { output.write(Array("\(Self.line(number))\n".utf8)) }
        // Room for some lines, while others wait.
        var lines: [String] = []
        var number = 20_000
        let deadline = ContinuousClock.now + Patience.most
        while !lines.contains(where: { $0.hasPrefix("dropped") }), ContinuousClock.now < deadline {
            lines += pipe.read(until: "")
            output.write(Array("\(Self.line(number))\n".utf8))
            number += 1
        }
        output.write(Array("end\n".utf8))
        lines += pipe.read(until: "end").dropLast()
        // Each line is there, or counted where it is missing.
        var next = 0
        for line in lines {
            if line.hasPrefix("dropped ") {
                next += Int(line.dropFirst(8)) ?? 0
            } else {
                #expect(line == Self.line(next))
                next = (Int(line.prefix { $0 != " " }) ?? 0) + 1
            }
        }
        #expect(next == number)
    }

    @Test("a descriptor that somebody has set non-blocking loses nothing")
    func nonBlocking() {
        let pipe = LogPipe()
        let flags = fcntl(pipe.writer, F_GETFL)
        _ = fcntl(pipe.writer, F_SETFL, flags | O_NONBLOCK)
        let output = output(to: pipe)
        for number in 0..<3000 { output.write(Array("\(Self.line(number))\n".utf8)) }
        #expect(pipe.read(until: Self.line(2999)) == (0..<3000).map(Self.line))
        #expect(fcntl(pipe.writer, F_GETFL) & O_NONBLOCK != 0)
    }

    @Test("what cannot be written is counted with what is dropped, and told of when it can")
    func failing() throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "sojourn-log-\(UUID().uuidString)")
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        defer { try? FileManager.default.removeItem(at: file) }
        // Open for reading alone: each write fails.
        let descriptor = open(file.path, O_RDONLY)
        defer { close(descriptor) }
        let output = LogOutput(descriptor: descriptor)
        output.describeDropped { "dropped \($0)\n" }
        for number in 0..<10 {
            output.write(Array("\(number)\n".utf8))
            output.finish()
        }
        let writable = open(file.path, O_WRONLY)
        dup2(writable, descriptor)
        close(writable)
        output.write(Array("again\n".utf8))
        output.finish()
        #expect(try String(contentsOf: file, encoding: .utf8) == "dropped 10\nagain\n")
    }

    @Test("the end waits for what is not written, and not for a reader that stands still")
    func end() {
        let pipe = LogPipe()
        let output = output(to: pipe)
        let last = 999
        for number in 0...last { output.write(Array("\(Self.line(number))\n".utf8)) }
        let begun = ContinuousClock.now
        output.finish(within: .milliseconds(200))
        #expect(.milliseconds(200)..<(.seconds(10)) ~= ContinuousClock.now - begun)
        // A pipe holds 64 KiB: the others wait for its reader.
        let reader = Thread { _ = pipe.read(until: Self.line(last)) }
        reader.start()
        output.finish(within: .seconds(60))
        #expect(eventually { reader.isFinished })
    }
}
