package io.memorygateway.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Default timeout of waits in tests. It only ends a test that hangs, so it is longer than a busy
 * machine may stand still. JUnit finds it in {@code META-INF/services}.
 */
public final class TestTimeout implements BeforeAllCallback {
  static final Duration DEFAULT = Duration.ofSeconds(60);

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(DEFAULT);
  }
}
