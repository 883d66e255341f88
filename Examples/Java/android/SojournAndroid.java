import android.app.Activity;
import android.app.Application;
import android.content.Context;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.os.Build;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;
import android.util.Log;
import android.webkit.JavascriptInterface;
import android.webkit.WebResourceRequest;
import android.webkit.WebView;
import android.webkit.WebViewClient;

import java.io.File;

/**
 * What {@link Sojourn} takes from Android (8 or later): its files' place, its clock, the foreground
 * and the background, and web views. Copy it beside Sojourn.java, and begin in the application:
 *
 * <pre>
 * public void onCreate() {
 *     super.onCreate();
 *     sojourn = SojournAndroid.make(this);
 *     sojourn.start("shop", Key.aes128gcm("k1", "SECRET"), "https://stats.example.org",
 *             SojournAndroid.options(this));
 * }
 * </pre>
 *
 * The manifest needs {@code android.permission.INTERNET}. A process of its own
 * ({@code android:process}) has an application of its own, and must not share the folder.
 */
public final class SojournAndroid implements Application.ActivityLifecycleCallbacks {
    private final Sojourn sojourn;
    /** Activities between their start and their stop; all calls come on the main thread. */
    private int started;

    private SojournAndroid(Sojourn sojourn) {
        this.sojourn = sojourn;
    }

    /** A client that knows of the foreground and the background; it is still to be started. */
    public static Sojourn make(Application application) {
        // What lies in getFilesDir() comes to a second phone out of a backup, with the same id.
        File folder = new File(application.getNoBackupFilesDir(), "sojourn");
        // uptimeMillis() and System.nanoTime() stand still while the phone sleeps.
        Sojourn sojourn = new Sojourn(folder, SystemClock::elapsedRealtimeNanos);
        application.registerActivityLifecycleCallbacks(new SojournAndroid(sojourn));
        return sojourn;
    }

    /** What the system knows of the device and the app. Debug builds store nothing. */
    @SuppressWarnings("deprecation") // getLongVersionCode() came with Android 9.
    public static Sojourn.Options options(Context context) {
        Sojourn.Options options = new Sojourn.Options();
        options.osName = "Android";
        options.osVersion = Build.VERSION.RELEASE;
        options.model = Build.MODEL;
        options.manufacturer = Build.MANUFACTURER;
        try {
            PackageInfo app =
                    context.getPackageManager().getPackageInfo(context.getPackageName(), 0);
            options.appVersion = app.versionName;
            options.appBuild = String.valueOf(app.versionCode);
        } catch (PackageManager.NameNotFoundException never) {
            // An app knows its own package.
        }
        options.debug =
                (context.getApplicationInfo().flags & ApplicationInfo.FLAG_DEBUGGABLE) != 0;
        options.log = line -> Log.i("Sojourn", line);
        options.callbacks = new Handler(Looper.getMainLooper())::post;
        return options;
    }

    // ---- The foreground and the background

    @Override public void onActivityStarted(Activity activity) {
        if (started++ == 0) sojourn.foreground();
    }

    /** The client uploads on its own thread: nothing here waits, or needs a HandlerThread. */
    @Override public void onActivityStopped(Activity activity) {
        // A screen that is only turned stops and starts again.
        if (--started == 0 && !activity.isChangingConfigurations()) sojourn.background();
    }

    @Override public void onActivityCreated(Activity activity, Bundle state) { }

    @Override public void onActivityResumed(Activity activity) { }

    @Override public void onActivityPaused(Activity activity) { }

    @Override public void onActivitySaveInstanceState(Activity activity, Bundle state) { }

    @Override public void onActivityDestroyed(Activity activity) { }

    // ---- Web views

    /**
     * Lets the pages of a web view speak to the app, before one is loaded. {@code contentID}: what
     * the pages show, or null. The web view gets a client; an app that has its own asks
     * {@link Sojourn.Bridge#decide} in that.
     */
    public static Sojourn.Bridge addTo(WebView view, Sojourn sojourn, String contentID) {
        Sojourn.Bridge bridge = sojourn.bridge(contentID);
        view.addJavascriptInterface(new Port(bridge), "SojournBridge");
        view.setWebViewClient(new Navigation(bridge));
        return bridge;
    }

    /** What sojourn.js calls, on a thread of the web view. */
    public static final class Port {
        private final Sojourn.Bridge bridge;

        private Port(Sojourn.Bridge bridge) {
            this.bridge = bridge;
        }

        /**
         * The system hands this to every frame, and does not say which one calls: who shows pages
         * with foreign frames leaves the interface out, and lets pages signal by URLs.
         */
        @JavascriptInterface public void post(String text) {
            bridge.message(text, true);
        }
    }

    /** Keeps the bridge's URLs from becoming pages. */
    public static class Navigation extends WebViewClient {
        private final Sojourn.Bridge bridge;

        public Navigation(Sojourn.Bridge bridge) {
            this.bridge = bridge;
        }

        @Override public boolean shouldOverrideUrlLoading(
                WebView view, WebResourceRequest request) {
            return bridge.decide(request.getUrl().toString(), request.isForMainFrame());
        }
    }
}
