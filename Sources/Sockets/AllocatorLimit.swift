import CLinux

/// How the allocator treats memory that was freed.
package enum AllocatorLimit {
    /// As much as glibc comes to by itself, once pieces of that size were freed.
    private static let usual: Int32 = 32 << 20
    private static let tight: Int32 = 1 << 20

    /// Pieces of up to 32 MiB are kept when they are freed: reports that ask again find them, and no page
    /// has to be cleared anew, a fifth of their processor time.
    package static func keepFreed() { set(usual) }

    /// Pieces from 1 MiB on are given back when they are freed, for where several reports compute at once:
    /// four over a million names had 830 MiB resident where they held 256, and 469 so.
    package static func giveBackLarge() { set(tight) }

    private static func set(_ bytes: Int32) {
        clinux_keep_freed(bytes)
    }

    /// Gives pages back to the system of which nothing is in use any more, among them those between pieces
    /// that are: some milliseconds of work, for after something that took many small pieces of memory. 24
    /// reports over 60,000 names, one after another, left 69 MiB more resident than before them, and 9
    /// with this.
    package static func giveBackFreed() {
        clinux_give_back_freed()
    }
}
