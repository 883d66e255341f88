package android.app;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public class Activity {
    public boolean isChangingConfigurations() {
        throw new UnsupportedOperationException();
    }
}
