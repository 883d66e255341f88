import android.app.Activity;
import android.app.Application;
import android.net.Uri;
import android.webkit.WebResourceRequest;
import android.webkit.WebView;
import android.webkit.WebViewClient;
import java.io.File;
import java.util.concurrent.CountDownLatch;
import org.example.shop.Sojourn.Key;

/** An app on Android, whose system is what stands here: it is opened, turned, shows a page, and is left. */
public final class Life {
    private static File journal;
    private static Application.ActivityLifecycleCallbacks callbacks;
    private static SojournAndroid.Port port;
    private static WebViewClient client;

    private Life() { }

    private static final class App extends Application {
        @Override public File getNoBackupFilesDir() {
            return journal;
        }

        @Override public void registerActivityLifecycleCallbacks(ActivityLifecycleCallbacks registered) {
            callbacks = registered;
        }
    }

    private static final class Page extends WebView {
        @Override public void addJavascriptInterface(Object object, String name) {
            if (name.equals("SojournBridge")) port = (SojournAndroid.Port) object;
        }

        @Override public void setWebViewClient(WebViewClient set) {
            client = set;
        }
    }

    private static final class Screen extends Activity {
        private boolean isTurned;

        @Override public boolean isChangingConfigurations() {
            return isTurned;
        }
    }

    private record Request(String url) implements WebResourceRequest {
        @Override public Uri getUrl() {
            return new Uri() {
                @Override public String toString() {
                    return url;
                }
            };
        }

        @Override public boolean isForMainFrame() {
            return false;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        journal = new File(arguments[0]);
        Sojourn sojourn = SojournAndroid.make(new App());
// LINES
        Screen screen = new Screen();
        callbacks.onActivityStarted(screen);
        screen.isTurned = true;
        callbacks.onActivityStopped(screen);
        screen.isTurned = false;
        callbacks.onActivityStarted(screen);
        Page page = new Page();
        SojournAndroid.addTo(page, sojourn, "lesson-4");
        port.post("{\"name\":\"tapped\"}");
        boolean isHandled = client.shouldOverrideUrlLoading(page, new Request("rb://scrolled.bottom"));
        boolean isLeft = client.shouldOverrideUrlLoading(page, new Request("https://example.org/"));
        System.out.println("handled " + isHandled + ", load " + isLeft);
        callbacks.onActivityStarted(screen);
        callbacks.onActivityStopped(screen);
        callbacks.onActivityStopped(screen);
        CountDownLatch over = new CountDownLatch(1);
        sojourn.flush(20_000, isDone -> {
            System.out.println(isDone);
            over.countDown();
        });
        over.await();
    }
}
