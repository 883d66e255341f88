import Database
import Dispatch
import StoreTestSupport
import Testing

@testable import Storage

@Suite("serial work")
struct SerialWorkTests {
    @Test("serial work is done one after the other, and what one throws leaves the next alone")
    func serialWork() {
        let work = SerialWork(label: "test")
        let (comes, isIn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let error = failure {
            try work.run { () throws(StorageError) in
                DispatchQueue(label: "second").async {
                    comes.signal()
                    try? work.run { () throws(StorageError) in _ = isIn.signal() }
                }
                comes.wait()
                #expect(isIn.wait(timeout: .now() + .milliseconds(100)) == .timedOut)
                throw .closed
            }
        }
        #expect(error?.isClosed == true)
        #expect(isIn.wait(timeout: .now() + .seconds(90)) == .success)
    }
}
