import java.io.File
import java.util.concurrent.CountDownLatch
import org.example.shop.Sojourn.Key

/** What whoever pastes the lines has around them. */
fun main(arguments: Array<String>) {
    val folder = File(arguments[0])
// LINES
    val over = CountDownLatch(1)
    sojourn.flush(20_000) { isDone ->
        println(isDone)
        over.countDown()
    }
    over.await()
}
