import android.app.Activity
import android.app.Application
import android.content.Context
import android.content.pm.ApplicationInfo
import android.os.Build
import android.os.Bundle
import android.os.Handler
import android.os.Looper
import android.os.SystemClock
import android.util.Log
import android.webkit.JavascriptInterface
import android.webkit.WebResourceRequest
import android.webkit.WebView
import android.webkit.WebViewClient
import java.io.File

/**
 * What [Sojourn] takes from Android (8 or later): its files' place, its clock, the foreground and
 * the background, and web views. Copy it beside Sojourn.kt, and begin in the application:
 *
 *     override fun onCreate() {
 *         super.onCreate()
 *         sojourn = SojournAndroid.make(this)
 *         sojourn.start("shop", Key.aes128gcm("k1", "SECRET"), "https://stats.example.org",
 *             SojournAndroid.options(this))
 *     }
 *
 * The manifest needs `android.permission.INTERNET`. A process of its own (`android:process`) has an
 * application of its own, and must not share the folder.
 */
class SojournAndroid private constructor(private val sojourn: Sojourn) :
    Application.ActivityLifecycleCallbacks {
    /** Activities between their start and their stop; all calls come on the main thread. */
    private var started = 0

    override fun onActivityStarted(activity: Activity) {
        if (started++ == 0) sojourn.foreground()
    }

    /** The client uploads on its own thread: nothing here waits, or needs a HandlerThread. */
    override fun onActivityStopped(activity: Activity) {
        // A screen that is only turned stops and starts again.
        if (--started == 0 && !activity.isChangingConfigurations) sojourn.background()
    }

    override fun onActivityCreated(activity: Activity, state: Bundle?) {}

    override fun onActivityResumed(activity: Activity) {}

    override fun onActivityPaused(activity: Activity) {}

    override fun onActivitySaveInstanceState(activity: Activity, state: Bundle) {}

    override fun onActivityDestroyed(activity: Activity) {}

    /** What sojourn.js calls, on a thread of the web view. */
    class Port internal constructor(private val bridge: Sojourn.Bridge) {
        /**
         * The system hands this to every frame, and does not say which one calls: who shows pages
         * with foreign frames leaves the interface out, and lets pages signal by URLs.
         */
        @JavascriptInterface fun post(text: String?) = bridge.message(text, isMainFrame = true)
    }

    /** Keeps the bridge's URLs from becoming pages. */
    open class Navigation(private val bridge: Sojourn.Bridge) : WebViewClient() {
        override fun shouldOverrideUrlLoading(view: WebView, request: WebResourceRequest) =
            bridge.decide(request.url.toString(), request.isForMainFrame)
    }

    companion object {
        /** A client that knows of the foreground and the background; it is still to be started. */
        fun make(application: Application): Sojourn {
            // What lies in filesDir comes to a second phone out of a backup, with the same id.
            val folder = File(application.noBackupFilesDir, "sojourn")
            // uptimeMillis() and System.nanoTime() stand still while the phone sleeps.
            val sojourn = Sojourn(folder, SystemClock::elapsedRealtimeNanos)
            application.registerActivityLifecycleCallbacks(SojournAndroid(sojourn))
            return sojourn
        }

        /** What the system knows of the device and the app. Debug builds store nothing. */
        @Suppress("DEPRECATION") // longVersionCode came with Android 9.
        fun options(context: Context): Sojourn.Options {
            val main = Handler(Looper.getMainLooper())
            // An app knows its own package.
            val app = context.packageManager.getPackageInfo(context.packageName, 0)
            return Sojourn.Options(
                debug = context.applicationInfo.flags and ApplicationInfo.FLAG_DEBUGGABLE != 0,
                log = { Log.i("Sojourn", it) },
                callbacks = { main.post(it) },
                osName = "Android",
                osVersion = Build.VERSION.RELEASE,
                model = Build.MODEL,
                manufacturer = Build.MANUFACTURER,
                appVersion = app.versionName ?: "0",
                appBuild = app.versionCode.toString())
        }

        /**
         * Lets the pages of a web view speak to the app, before one is loaded. `contentID`: what
         * the pages show, or null. The web view gets a client; an app that has its own asks
         * [Sojourn.Bridge.decide] in that.
         */
        fun addTo(view: WebView, sojourn: Sojourn, contentID: String? = null): Sojourn.Bridge {
            val bridge = sojourn.bridge(contentID)
            view.addJavascriptInterface(Port(bridge), "SojournBridge")
            view.webViewClient = Navigation(bridge)
            return bridge
        }
    }
}
