import Foundation
import StoreTestSupport
import TestSupport

/// What of a folder is on disk: fed with a tape, it says what a power cut at this moment leaves.
/// Whatever was not synced is in doubt; a sync makes good what its own file had in doubt, and the
/// folder's names where it covers them (SQLite syncs the folder with a new log).
struct DiskModel {
    /// Contents by name.
    typealias Image = [String: [UInt8]]

    private struct File {
        var durable: [UInt8] = []
        var doubtful: [Change] = []
    }

    private enum Change {
        case write(offset: Int, octets: [UInt8])
        case truncate(length: Int)
    }

    /// By number: two files may have had one name.
    private var files: [File] = []
    /// As processes see them.
    private var names: [String: Int] = [:]
    /// As the disk has them.
    private var durableNames: [String: Int] = [:]
    /// What the kernel writes of what a failing sync was to write; the rest is gone for good.
    private let failedSync: Survival
    private var random: SplitMix

    init(failedSync: Survival = .drop, seed: UInt64 = 0) {
        self.failedSync = failedSync
        random = SplitMix(seed: seed)
    }

    mutating func apply(_ record: TapeRecord) {
        switch record.operation {
        case .mark: return
        case .open(let isThere, let contents):
            if names[record.file] != nil { return }
            files.append(File(durable: contents))
            names[record.file] = files.count - 1
            // It was there before the tape began.
            if isThere { durableNames[record.file] = files.count - 1 }
        case .delete(let isSynced):
            if record.hasFailed { return }
            names[record.file] = nil
            if isSynced { durableNames = names }
        case .write(let offset, let octets):
            if let file = names[record.file], !octets.isEmpty {
                files[file].doubtful.append(.write(offset: offset, octets: octets))
            }
        case .truncate(let length):
            if let file = names[record.file], !record.hasFailed {
                files[file].doubtful.append(.truncate(length: length))
            }
        case .sync(let coversNames):
            guard let file = names[record.file], !record.isLie else { return }
            if record.hasFailed { return fail(file) }
            files[file].durable = contents(of: files[file], .all, using: &random)
            files[file].doubtful = []
            if coversNames { durableNames = names }
        }
    }

    /// The kernel calls every page clean that it was to write, whether it could or not: a later sync
    /// does not write it again. Lengths are the file system's own affair and stay in doubt.
    private mutating func fail(_ file: Int) {
        let lengths = files[file].doubtful.filter { if case .truncate = $0 { true } else { false } }
        files[file].durable = contents(of: files[file], failedSync, using: &random)
        files[file].doubtful = failedSync == .drop ? lengths : []
    }

    /// What a cut leaves now. Files whose names are not on disk are gone.
    func image(_ survival: Survival, using random: inout SplitMix) -> Image {
        var image: Image = [:]
        for name in Set(names.keys).union(durableNames.keys).sorted() {
            let isNew = names[name] != durableNames[name]
            let file =
                isNew && survival.isKept(using: &random) ? names[name] : durableNames[name]
            if let file { image[name] = contents(of: files[file], survival, using: &random) }
        }
        return image
    }

    private func contents(
        of file: File, _ survival: Survival, using random: inout SplitMix
    ) -> [UInt8] {
        var out = file.durable
        if survival == .drop { return out }
        for change in file.doubtful {
            switch change {
            case .truncate(let length):
                if survival.isKept(using: &random) { Self.resize(&out, length) }
            case .write(let offset, let octets):
                if survival.fate(using: &random) == .kept {
                    Self.write(octets, at: offset, to: &out, survival, using: &random)
                }
            }
        }
        return out
    }

    private static func write(
        _ octets: [UInt8], at offset: Int, to file: inout [UInt8], _ survival: Survival,
        using random: inout SplitMix
    ) {
        var place = 0
        while place < octets.count {
            let at = offset + place
            let sectorEnd = (at / Survival.sector + 1) * Survival.sector
            let whole = survival == .some || survival == .all
            let count = whole ? octets.count : min(octets.count - place, sectorEnd - at)
            let fate = survival.sectorFate(using: &random)
            if fate != .lost {
                if file.count < at + count { resize(&file, at + count) }
                file.withUnsafeMutableBytes { file in
                    octets.withUnsafeBytes { octets in
                        UnsafeMutableRawBufferPointer(rebasing: file[at...]).copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: octets[place..<place + count]))
                    }
                    if fate == .noise {
                        for spoilt in at..<(at + count) { file[spoilt] ^= UInt8(spoilt % 251) | 1 }
                    }
                }
            }
            place += count
        }
    }

    private static func resize(_ file: inout [UInt8], _ length: Int) {
        if file.count > length { file.removeSubrange(length...) }
        if file.count < length {
            file += [UInt8](repeating: 0, count: length - file.count)
        }
    }
}

extension DiskModel {
    /// Puts an image into a folder that is not there yet. Nothing waits for a disk.
    static func write(_ image: Image, to folder: String) throws {
        mkdir(folder, 0o700)
        for (name, octets) in image {
            try Data(octets).write(to: URL(filePath: folder + "/" + name))
        }
    }
}
