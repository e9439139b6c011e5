package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.WindowStore.Returned;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reserves nothing: every request waits for the transaction that counts it.
 *
 * @param rules how many there are
 */
record NoReservations(int rules) implements Reservations {
  @Override
  public @Nullable Decision take(long keyId, RequestKind kind, long[] limits) {
    return null;
  }

  @Override
  public long[] held(long keyId) {
    return new long[rules];
  }

  @Override
  public int returnable(long keyId) {
    return 0;
  }

  @Override
  public boolean isEmpty() {
    return true;
  }

  @Override
  public boolean isAnnounced() {
    return false;
  }

  @Override
  public List<KeyBatch> plan(List<PermitRequest> waiting) {
    return KeyBatch.of(waiting);
  }

  @Override
  public long[] granted(KeyBatch batch, Reply reply) {
    return new long[rules];
  }

  @Override
  public void recalled(Collection<Long> keys) {}

  @Override
  public Returned drainUnused() {
    return new Returned(List.of(), Set.of());
  }

  @Override
  public void release() {}
}
