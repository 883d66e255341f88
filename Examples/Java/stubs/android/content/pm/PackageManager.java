package android.content.pm;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public abstract class PackageManager {
    public abstract PackageInfo getPackageInfo(String name, int flags) throws NameNotFoundException;

    /** That of Android, as a subclass of what it is there. */
    public static class NameNotFoundException extends Exception {
        private static final long serialVersionUID = 1;
    }
}
