package android.webkit;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public class WebView {
    public void addJavascriptInterface(Object object, String name) {
        throw new UnsupportedOperationException();
    }

    public WebViewClient getWebViewClient() {
        throw new UnsupportedOperationException();
    }

    public void setWebViewClient(WebViewClient client) {
        throw new UnsupportedOperationException();
    }
}
