import Core
import Foundation
import SojournClient

// The judge's adapter (client.md §9): commands on standard input, one answer each on standard output.

/// Reads commands on a thread of its own: the main queue is the client's to call back on.
let commands = Thread {
    let adapter = Adapter(environment: ProcessInfo.processInfo.environment)
    while let line = readLine(strippingNewline: true), line != "quit" {
        print(adapter.answer(line))
        fflush(nil)
    }
    adapter.quit()
    exit(0)
}
commands.stackSize = 1 << 20
commands.start()
dispatchMain()
