package io.memorygateway.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * How long a test waits for what it does not give a time of its own: only so that it does not hang,
 * so longer than a busy machine may stand still. JUnit finds it in {@code META-INF/services}.
 */
public final class Patience implements BeforeAllCallback {
  static final Duration LONGEST = Duration.ofSeconds(60);

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(LONGEST);
  }
}
