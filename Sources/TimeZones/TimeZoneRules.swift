import Glibc

/// When a time zone is how far from UTC, by the tzdata of the machine (RFC 9636). A name is one for
/// which there is a file below `TZDIR`, else `/usr/share/zoneinfo` (docs/reports.md, Asking: `tz`).
package struct TimeZoneRules: Sendable {
    /// Its name, as given.
    package let name: String
    private let file: TimeZoneFile

    /// Reads a zone's file. Throws `invalidName`, `unknown` or `damaged`.
    package init(name: String, directory: String? = nil) throws(TimeZoneError) {
        guard Self.isName(name) else { throw .invalidName }
        let directory = directory ?? Self.directory
        do {
            file = try TimeZoneFile(parsing: Self.read("\(directory)/\(name)"))
        } catch {
            // A machine without tzdata still knows UTC.
            guard name == "UTC", error == .unknown else { throw error }
            file = TimeZoneFile(constant: 0)
        }
        self.name = name
    }

    /// Rules from the bytes of a TZif file. Throws `damaged`.
    package init(name: String, contents: [UInt8]) throws(TimeZoneError) {
        self.name = name
        file = try TimeZoneFile(parsing: contents)
    }

    /// Local time − UTC at an instant, both in milliseconds.
    package func offset(at time: Int64) -> Int64 {
        segments(from: time, to: time + 1)[0].offset
    }

    /// The local day of an instant (milliseconds).
    package func day(at time: Int64) -> CivilDate {
        CivilDate(number: Int(LocalDays.quotient(time + offset(at: time), 86_400_000)))
    }

    /// The stretches of constant offset that make up `from` up to and without `to`, in order,
    /// without gaps. Both in milliseconds, within the years ±9990; `to` is greater than `from`.
    package func segments(from: Int64, to: Int64) -> [TimeSegment] {
        var out: [TimeSegment] = []
        var start = from
        var offset = file.first
        func close(at end: Int64) {
            guard end > start else { return }
            let milliseconds = Int64(offset) * 1000
            if let last = out.last, last.offset == milliseconds {
                out[out.count - 1] = TimeSegment(start: last.start, end: end, offset: milliseconds)
            } else {
                out.append(TimeSegment(start: start, end: end, offset: milliseconds))
            }
            start = end
        }
        for (seconds, next) in changes(from: from, to: to) {
            let (time, overflow) = seconds.multipliedReportingOverflow(by: 1000)
            let instant = overflow ? (seconds < 0 ? Int64.min : Int64.max) : time
            if instant >= to { break }
            close(at: instant)
            offset = next
        }
        close(at: to)
        return out
    }

    /// The instant at which the first of the given days begins or is met first, and the one after
    /// the last of them: all events of those days lie between, though perhaps others too.
    package func window(from: CivilDate, to: CivilDate) -> Range<Int64> {
        let spans = intervals(from: from, to: to)
        guard let first = spans.first, let last = spans.last else { return 0..<0 }
        return first.lowerBound..<last.upperBound
    }

    /// Exactly the instants whose local day is one of the given, as stretches in order. Mostly one;
    /// more where clocks were set back across midnight.
    package func intervals(from: CivilDate, to: CivilDate) -> [Range<Int64>] {
        let day: Int64 = 86_400_000
        let (start, end) = (Int64(from.number) * day, Int64(to.number + 1) * day)
        guard start < end else { return [] }
        var out: [Range<Int64>] = []
        for segment in segments(from: start - 2 * day, to: end + 2 * day) {
            let low = max(segment.start, start - segment.offset)
            let high = min(segment.end, end - segment.offset)
            guard low < high else { continue }
            if let last = out.last, last.upperBound == low {
                out[out.count - 1] = last.lowerBound..<high
            } else {
                out.append(low..<high)
            }
        }
        return out
    }

    /// Changes that may matter between two instants (milliseconds), in seconds, in order; from one
    /// before `from` on, if there is one.
    private func changes(from: Int64, to: Int64) -> [(Int64, Int)] {
        var out: [(Int64, Int)] = []
        var low = 0
        var high = file.times.count
        while low < high {
            let middle = (low + high) / 2
            if file.times[middle] <= from / 1000 - 1 { low = middle + 1 } else { high = middle }
        }
        for index in max(0, low - 1)..<max(file.times.count, max(0, low - 1)) {
            out.append((file.times[index], file.offsets[index]))
            if file.times[index] > to / 1000 + 1 { return out }
        }
        guard let rule = file.rule else { return out }
        let last = file.times.last ?? Int64.min
        if file.times.isEmpty { out.append((Int64.min, rule.standard)) }
        func year(_ milliseconds: Int64) -> Int {
            CivilDate(number: Int(milliseconds / 86_400_000)).parts.year
        }
        let years = max(-9998, year(from) - 2)...min(9998, max(-9998, year(to) + 1))
        out += rule.transitions(years: years).filter { $0.time > last }.map { ($0.time, $0.offset) }
        return out
    }

    /// Where tzdata is.
    private static var directory: String {
        guard let given = getenv("TZDIR"), given.pointee != 0 else { return "/usr/share/zoneinfo" }
        return String(cString: given)
    }

    /// Parts of `[A-Za-z0-9_+-]` with single slashes between: so it never leaves the directory.
    private static func isName(_ name: String) -> Bool {
        var previous = UInt8(ascii: "/")
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "/"):
                if previous == byte { return false }
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
                UInt8(ascii: "-"):
                break
            default: return false
            }
            previous = byte
        }
        return previous != UInt8(ascii: "/") && name.utf8.count <= 255
    }

    /// The bytes of a regular file of at most 256 KiB.
    private static func read(_ path: String) throws(TimeZoneError) -> [UInt8] {
        // Without O_NONBLOCK a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unknown }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unknown
        }
        guard (44...262_144).contains(status.st_size) else { throw .damaged }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let (start, room) = (filled, bytes.count - filled)
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + start }, room)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .damaged }
            filled += count
        }
        return bytes
    }
}

/// A stretch of time in which a zone's offset from UTC is one number.
public struct TimeSegment: Hashable, Sendable {
    /// First instant, milliseconds since 1970-01-01T00:00:00Z.
    public let start: Int64
    /// The first instant after it.
    public let end: Int64
    /// Local time − UTC, in milliseconds.
    public let offset: Int64

    /// A stretch from `start` up to and without `end`.
    package init(start: Int64, end: Int64, offset: Int64) {
        self.start = start
        self.end = end
        self.offset = offset
    }
}

/// Why a time zone cannot be used.
package enum TimeZoneError: Error, Equatable {
    /// The name has other characters than `[A-Za-z0-9_+/-]`, or an empty part.
    case invalidName
    /// tzdata has no regular file of that name.
    case unknown
    /// The file is not TZif as RFC 9636 says.
    case damaged
}
