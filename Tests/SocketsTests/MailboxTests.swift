import Foundation
import HTTP1
import Testing

@testable import Sockets

@Suite struct MailboxTests {
    private func message(_ slot: Int) -> Mailbox.Message {
        .more(ConnectionAddress(slot: UInt32(slot), generation: 0))
    }

    private func slots(_ messages: [Mailbox.Message]) -> [UInt32] {
        messages.compactMap { if case .more(let address) = $0 { address.slot } else { nil } }
    }

    @Test("messages come out once, in their order, and only the first of them wakes")
    func order() {
        let mailbox = Mailbox()
        var wakes = 0
        var messages: [Mailbox.Message] = []
        for round in 1...3 {
            for slot in 0..<5 { #expect(mailbox.post(message(slot)) { wakes += 1 }) }
            #expect(wakes == round)
            mailbox.take(&messages)
            #expect(slots(messages) == [0, 1, 2, 3, 4])
        }
        mailbox.take(&messages)
        #expect(messages.isEmpty)
    }

    @Test(
        "while wakes are held messages can be taken, and the last release wakes once, if some are left"
    )
    func hold() {
        let mailbox = Mailbox()
        var wakes = 0
        var messages: [Mailbox.Message] = []
        mailbox.hold()
        mailbox.hold()
        for slot in 0..<3 { #expect(mailbox.post(message(slot)) { wakes += 1 }) }
        mailbox.take(&messages)
        #expect(slots(messages) == [0, 1, 2])
        for slot in 3..<5 { #expect(mailbox.post(message(slot)) { wakes += 1 }) }
        mailbox.release { wakes += 1 }
        #expect(wakes == 0)
        mailbox.release { wakes += 1 }
        #expect(wakes == 1)
        #expect(mailbox.post(message(5)) { wakes += 1 })
        #expect(wakes == 1)
        mailbox.take(&messages)
        #expect(slots(messages) == [3, 4, 5])
        mailbox.hold()
        mailbox.release { wakes += 1 }
        #expect(wakes == 1)
        #expect(mailbox.post(message(6)) { wakes += 1 })
        #expect(wakes == 2)
    }

    @Test("one that is woken already is not woken again when wakes are released")
    func holdAfterWake() {
        let mailbox = Mailbox()
        var wakes = 0
        #expect(mailbox.post(message(0)) { wakes += 1 })
        mailbox.hold()
        #expect(mailbox.post(message(1)) { wakes += 1 })
        mailbox.release { wakes += 1 }
        #expect(wakes == 1)
        mailbox.hold()
        _ = mailbox.close()
        mailbox.release { wakes += 1 }
        #expect(wakes == 1)
    }

    @Test("a mailbox that was closed gives back what was left, and takes no more")
    func close() {
        let mailbox = Mailbox()
        #expect(mailbox.post(message(7)) {})
        #expect(slots(mailbox.close()) == [7])
        var wakes = 0
        #expect(!mailbox.post(message(8)) { wakes += 1 })
        #expect(wakes == 0)
        #expect(mailbox.close().isEmpty)
    }

    @Test("whatever threads post is taken, with a wake for whoever sleeps")
    func threads() {
        let mailbox = Mailbox()
        let woken = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for place in 0..<5000 {
                    _ = mailbox.post(.more(.init(slot: UInt32(place), generation: UInt32(thread))))
                    {
                        woken.signal()
                    }
                }
            }
        }
        var next = [UInt32](repeating: 0, count: 4)
        var messages: [Mailbox.Message] = []
        // Sleeps as a loop does: a lost wake would be waited for in vain.
        while next != [5000, 5000, 5000, 5000], woken.wait(timeout: .now() + 5) == .success {
            mailbox.take(&messages)
            for case .more(let address) in messages {
                #expect(address.slot == next[Int(address.generation)])
                next[Int(address.generation)] = address.slot + 1
            }
        }
        #expect(next == [5000, 5000, 5000, 5000])
    }
}
