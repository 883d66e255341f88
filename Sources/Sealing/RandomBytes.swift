import COpenSSL

/// Unpredictable bytes from libcrypto's generator, which the kernel seeds.
package enum RandomBytes {
    /// Fills a new array.
    package static func make(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { out, made in
            fill(
                UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(out)[..<count]))
            made = count
        }
    }

    static func fill(_ out: UnsafeMutableRawBufferPointer) {
        guard let base = out.baseAddress, out.count > 0 else { return }
        // A key made without it would be worse than no answer.
        precondition(
            RAND_bytes(base.assumingMemoryBound(to: UInt8.self), Int32(out.count)) == 1,
            "the system gives no random octets")
    }
}
