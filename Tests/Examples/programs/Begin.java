import java.io.File;
import java.util.concurrent.CountDownLatch;
import org.example.shop.Sojourn.Key;

/** What whoever pastes the lines has around them. */
public final class Begin {
    private Begin() { }

    public static void main(String[] arguments) throws InterruptedException {
        File folder = new File(arguments[0]);
// LINES
        CountDownLatch over = new CountDownLatch(1);
        sojourn.flush(20_000, isDone -> {
            System.out.println(isDone);
            over.countDown();
        });
        over.await();
    }
}
