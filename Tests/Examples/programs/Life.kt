import android.app.Activity
import android.app.Application
import android.net.Uri
import android.webkit.WebResourceRequest
import android.webkit.WebView
import android.webkit.WebViewClient
import java.io.File
import java.util.concurrent.CountDownLatch
import org.example.shop.Sojourn.Key

private var callbacks: Application.ActivityLifecycleCallbacks? = null
private var port: SojournAndroid.Port? = null
private var client: WebViewClient? = null

private class App(private val journal: File) : Application() {
    override fun getNoBackupFilesDir() = journal

    override fun registerActivityLifecycleCallbacks(registered: ActivityLifecycleCallbacks) {
        callbacks = registered
    }
}

private class Page : WebView() {
    override fun addJavascriptInterface(added: Any, name: String) {
        if (name == "SojournBridge") port = added as SojournAndroid.Port
    }

    override fun setWebViewClient(set: WebViewClient) {
        client = set
    }
}

private class Screen : Activity() {
    var isTurned = false

    override fun isChangingConfigurations() = isTurned
}

private class Request(private val text: String) : WebResourceRequest {
    override fun getUrl() = object : Uri() {
        override fun toString() = text
    }

    override fun isForMainFrame() = false
}

/** An app on Android, whose system is what stands here: it is opened, turned, shows a page, and is left. */
fun main(arguments: Array<String>) {
    val sojourn = SojournAndroid.make(App(File(arguments[0])))
// LINES
    val screen = Screen()
    callbacks?.onActivityStarted(screen)
    screen.isTurned = true
    callbacks?.onActivityStopped(screen)
    screen.isTurned = false
    callbacks?.onActivityStarted(screen)
    val page = Page()
    SojournAndroid.addTo(page, sojourn, "lesson-4")
    port?.post("{\"name\":\"tapped\"}")
    val isHandled = client?.shouldOverrideUrlLoading(page, Request("rb://scrolled.bottom"))
    val isLeft = client?.shouldOverrideUrlLoading(page, Request("https://example.org/"))
    println("handled $isHandled, load $isLeft")
    callbacks?.onActivityStarted(screen)
    callbacks?.onActivityStopped(screen)
    callbacks?.onActivityStopped(screen)
    val over = CountDownLatch(1)
    sojourn.flush(20_000) { isDone ->
        println(isDone)
        over.countDown()
    }
    over.await()
}
