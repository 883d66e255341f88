package android.content;

import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import java.io.File;

/** Stands in for Android's class where there is no Android: its signatures alone. */
public abstract class Context {
    public File getNoBackupFilesDir() {
        throw new UnsupportedOperationException();
    }

    public PackageManager getPackageManager() {
        throw new UnsupportedOperationException();
    }

    public String getPackageName() {
        throw new UnsupportedOperationException();
    }

    public ApplicationInfo getApplicationInfo() {
        throw new UnsupportedOperationException();
    }
}
