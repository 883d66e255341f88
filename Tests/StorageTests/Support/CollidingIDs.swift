@testable import Database
@testable import Storage

/// Batch ids of 64 letters whose unkeyed hash is the same in all 64 bits. Made by
/// `Benchmarks/kit/collisions.py`, which says how: in each lane of the hash any of six pairs of words leads
/// to one state.
enum CollidingIDs {
    private static let lanes = [
        [
            ("VJqEjYD-", "CcEFc2IO"), ("ld6nWa-k", "DjbtgAEy"), ("utB4CPTi", "ku0-g:nw"),
            ("qs7MdEwQ", "WIkMXrfe"), ("qs7MdEwS", "WIkF5Rwo"), ("TtzsKHx2", "ZsB7dOZp"),
        ],
        [
            ("X9k:M2_-", "NfVmGCGH"), ("-LOuugxs", "rebIapGX"), ("07N96vE0", "NP1yicTl"),
            ("07N96vE2", "NP1rFCev"), ("i-YgZGgl", "YtrwTRHV"), ("oLD-nYZx", "...ulxWO"),
        ],
        [
            ("V_CwGtu-", ".L_NaGX:"), (".g7BxZOI", "gRWWrLYs"), ("zPETW:lE", "MAWXFspI"),
            ("AxFac5yu", "arZi7X0z"), ("Ku.5uvwQ", "P6mKStax"), ("9h.NzYOG", "fJw5_j0I"),
        ],
        [
            ("m4FzU7_-", "M7Rn:A9O"), ("xX.y3Hv1", "oXsKqZJ1"), ("GdozY.8k", "HeTLGX0k"),
            ("d4OBnlEX", "3H3U3ozj"), ("tEKCL2Jv", "b3RElxb7"), ("43ga6s8d", "tI2fO9Be"),
        ],
    ]

    /// 1,296 of them.
    static let all = (0..<1296).map { number in
        let pairs = [number % 6, number / 6 % 6, number / 36 % 6, number / 216].enumerated()
            .map { lanes[$0][$1] }
        return pairs.map(\.0).joined() + pairs.map(\.1).joined()
    }

    /// What `repeat_key.digest` was in schema 1 and 2.
    static func unkeyedDigest(of id: String) -> Int64 {
        Int64(Int32(truncatingIfNeeded: ChecksumStream.hash(id.utf8.span)))
    }
}
