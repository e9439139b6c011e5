package io.memorygateway.auth;

import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Requests with keys that do not exist, one for each text. */
public final class UnknownKeys implements Consumer<String> {
  private final ApiKeyVerifier verifier =
      new ApiKeyVerifier(
          (hash, urgency) -> CompletableFuture.completedFuture(Optional.empty()),
          Clock.systemUTC(),
          System::nanoTime,
          Duration.ofHours(1),
          ApiKeyVerifier.LOOK_UP_TIMEOUT);

  @Override
  public void accept(String text) {
    String secret = IssuedSecret.API_KEY.prefix() + IssuedSecret.hash(text).substring(0, 32);
    if (verifier.verify(secret, () -> {}) != null) {
      throw new IllegalStateException("a key that does not exist is known");
    }
  }
}
