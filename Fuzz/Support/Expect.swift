import Glibc

/// Ends the run with a message where a promise is broken: the fuzzer keeps the input.
@inline(__always)
package func expect(
    _ holds: Bool, _ promise: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) {
    if !holds { fail(promise(), file, line) }
}

@inline(never)
private func fail(_ promise: String, _ file: StaticString, _ line: UInt) -> Never {
    let text = Array("broken at \(file):\(line): \(promise)\n".utf8)
    _ = write(STDERR_FILENO, text, text.count)
    abort()
}
