package android.content.pm;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public class PackageInfo {
    public String versionName;

    @Deprecated public int versionCode;
}
