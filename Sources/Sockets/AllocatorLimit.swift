#if os(Linux)
import CLinux
#endif

/// How the allocator treats what is large.
package enum AllocatorLimit {
    /// From so many octets on a piece of memory is the system's own.
    private static let large: Int32 = 1 << 20

    /// Has what is large given back to the system when it is freed. Left to itself, glibc keeps pieces of
    /// up to 32 MiB once one of them was freed: four reports over a million names then had 830 MiB
    /// resident where they held 256, and 469 with this.
    package static func giveBack() {
        #if os(Linux)
        clinux_give_back_large(large)
        #endif
    }

    /// Gives pages back to the system of which nothing is in use any more, among them those between pieces
    /// that are: some milliseconds of work, for after something that took many small pieces of memory. 24
    /// reports over 60,000 names, one behind another, left 69 MiB more resident than before them, and 9 with this.
    package static func giveBackFreed() {
        #if os(Linux)
        clinux_give_back_freed()
        #endif
    }
}
