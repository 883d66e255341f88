package android.webkit;

import android.net.Uri;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public interface WebResourceRequest {
    Uri getUrl();

    boolean isForMainFrame();
}
