package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reserves nothing: every request waits for the transaction that counts it. */
final class NoReservations implements Reservations {
  @Override
  public @Nullable Decision take(long keyId, RequestKind kind, long[] limits) {
    return null;
  }

  @Override
  public boolean isEmpty() {
    return true;
  }

  @Override
  public List<KeyBatch> plan(List<PermitRequest> waiting) {
    return KeyBatch.of(waiting);
  }

  @Override
  public void granted(KeyBatch batch, Reply reply) {}

  @Override
  public List<Adjustment> drainUnused() {
    return List.of();
  }

  @Override
  public void release() {}
}
