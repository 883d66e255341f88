package android.webkit;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public class WebViewClient {
    public boolean shouldOverrideUrlLoading(WebView view, WebResourceRequest request) {
        return false;
    }
}
