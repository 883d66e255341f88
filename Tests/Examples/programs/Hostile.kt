import java.io.File
import java.util.concurrent.CountDownLatch
import org.example.shop.Sojourn.Key

/** A map that another thread changes. */
private class Throwing : AbstractMap<String, Any>() {
    override val entries: Set<Map.Entry<String, Any>> get() = throw IllegalStateException("the app's own")
}

/** An app that hands in what nobody should. */
fun main(arguments: Array<String>) {
    val folder = File(arguments[0])
// LINES
    sojourn.screen(null)
    sojourn.count("\ud800", Long.MIN_VALUE)
    sojourn.event(null, null)
    sojourn.event("a", mapOf("k" to null))
    sojourn.event("a", mapOf("k" to Double.NaN))
    sojourn.event("a", mapOf("k" to "\udc00"))
    sojourn.event("a", mapOf("k" to Any()))
    sojourn.event("a", (0..100_000).associate { "k$it" to it })
    sojourn.event("a", Throwing())
    sojourn.content(null).viewed()
    sojourn.content(null).completed { throw IllegalStateException("the app's own") }
    sojourn.video("").enter()
    val bridge = sojourn.bridge(null)
    bridge.message(null, true)
    bridge.message("[".repeat(8000), true)
    bridge.decide(null, true)
    bridge.decide("rb:%", false)
    sojourn.start("", Key.jwe("", "", ""), "")
    sojourn.flush(Long.MAX_VALUE) { throw IllegalStateException("the app's own") }
    sojourn.background { throw IllegalStateException("the app's own") }
    sojourn.status { throw IllegalStateException("the app's own") }
    val over = CountDownLatch(1)
    sojourn.flush(20_000) { isDone ->
        println(isDone)
        over.countDown()
    }
    over.await()
}
