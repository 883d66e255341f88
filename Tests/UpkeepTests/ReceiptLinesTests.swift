import Foundation
import StoreTestSupport
import Testing

@testable import Database
@testable import Upkeep

@Suite("the file of receipts is read line by line")
struct ReceiptLinesTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/erased" }

    private func receipts(_ count: Int) -> [ErasureReceipt] {
        (0..<count).map {
            ErasureReceipt(app: "shop", device: Batches.device($0), moment: Int64($0))
        }
    }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    @Test("all of it, over the edges of what is read at once, from any line on")
    func edges() throws {
        let all = receipts(3_000)
        try ErasureReceipts.write(all, to: path)
        let whole = try ErasureReceipts.read(path)
        #expect(whole.receipts == all)
        let size = try contents(of: path).count
        #expect(size > 3 << 16 && whole.end == Int64(size))
        for first in [1, 800, 2_999, 3_000] {
            let offset = Int64(ErasureReceipts.bytes(Array(all[..<first])).count)
            let rest = try ErasureReceipts.read(path, from: offset)
            #expect(rest.receipts == Array(all[first...]) && rest.end == Int64(size))
        }
    }

    @Test("a line that is none is named by its number in the file, wherever reading begins")
    func number() throws {
        let lines = receipts(900).map(\.line)
        try write((lines + ["no receipt"] + lines).joined(separator: "\n") + "\n")
        let offset = Int64(ErasureReceipts.bytes(receipts(700)).count)
        for start in [0, offset] {
            let error = failure { _ = try ErasureReceipts.read(path, from: start) }
            #expect(error?.description.hasPrefix("line 901 of \(path)") == true, "\(start)")
        }
    }

    @Test("what is longer than a receipt is none, and a last line without end is left out")
    func long() throws {
        let line = receipts(1)[0].line
        for longer in [line + "0", line + String(repeating: "0", count: 200_000), line + " "] {
            try write("\(line)\n\(longer)\n")
            let error = failure { _ = try ErasureReceipts.read(path) }
            #expect(error?.description.hasPrefix("line 2 of") == true)
            try write("\(line)\n\(longer)")
            let read = try ErasureReceipts.read(path)
            #expect(read.receipts == receipts(1) && read.end == Int64(line.utf8.count + 1))
        }
    }

    @Test("several files are one set in the order of moments and lines, of so many at most")
    func merged() throws {
        let same = (0..<9_000).map {
            ErasureReceipt(app: "shop", device: Batches.device($0), moment: Int64($0 / 1_000))
        }
        try ErasureReceipts.write(Array(same[..<6_000].reversed()), to: path)
        try ErasureReceipts.write(Array(same[3_000...]), to: path + "2")
        let paths = [path, path + "2", path + "3"]
        let all = try ErasureReceipts.merged(paths)
        #expect(all == same.sorted { ($0.moment, $0.line) < ($1.moment, $1.line) })
        #expect(try ErasureReceipts.merged(paths, atMost: 9_000) == all)
        #expect(try ErasureReceipts.merged(paths, atMost: 8_999) == nil)
        #expect(ErasureReceipts.byteCount(all) == Int64(ErasureReceipts.bytes(all).count))
        #expect(try contents(of: path).count == ErasureReceipts.bytes(same[..<6_000]).count)
    }
}
