package io.memorygateway.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Timeout of everything that tests wait for, the default of Awaitility. It only ends a test that
 * hangs, so it is far longer than a busy machine takes for what is waited for. What comes soon is
 * seen soon: there are thousands of waits. JUnit finds it in {@code META-INF/services}.
 */
public final class TestTimeout implements BeforeAllCallback {
  public static final long SECONDS = 300;
  public static final Duration DEFAULT = Duration.ofSeconds(SECONDS);
  private static final Duration FIRST_LOOK = Duration.ofMillis(10);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(160);

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(DEFAULT);
    Awaitility.setDefaultPollDelay(FIRST_LOOK);
    Awaitility.setDefaultPollInterval(
        (looks, pause) -> pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : pause);
  }
}
