package io.memorygateway.ratelimit.window;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import io.memorygateway.ratelimit.window.WindowStore.Returned;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Reserves a number of permits with the first request of a key, however few requests arrive. */
final class FixedReservations implements Reservations {
  private final long key;
  private final int permits;
  private final AtomicReference<@Nullable Reservation> reservation = new AtomicReference<>();
  private final List<Adjustment> unused = new ArrayList<>();

  FixedReservations(long key, int permits) {
    this.key = key;
    this.permits = permits;
  }

  @Override
  public @Nullable Decision take(long keyId, RequestKind kind, long[] limits) {
    Reservation held = reservation.get();
    return keyId == key && held != null && held.take(0) ? Decision.UNCOUNTED : null;
  }

  @Override
  public boolean isEmpty() {
    return reservation.get() == null;
  }

  @Override
  public List<KeyBatch> plan(List<PermitRequest> waiting) {
    List<KeyBatch> batches = KeyBatch.of(waiting);
    for (KeyBatch batch : batches) {
      if (batch.keyId() == key && isEmpty()) {
        batch.reserve(RequestKind.LLM, permits, true);
      }
    }
    return batches;
  }

  @Override
  public long[] granted(KeyBatch batch, Reply reply) {
    int reserved = batch.reserved(RequestKind.LLM, reply);
    if (reserved > 0) {
      reservation.set(new Reservation(reserved, reply.counts().starts(), Long.MAX_VALUE));
    }
    return new long[] {reserved};
  }

  @Override
  public long[] held(long keyId) {
    return new long[1];
  }

  @Override
  public int returnable(long keyId) {
    return unused.isEmpty() ? 0 : 1;
  }

  @Override
  public boolean isAnnounced() {
    return false;
  }

  @Override
  public void recalled(Collection<Long> keys) {}

  @Override
  public Returned drainUnused() {
    Returned all = new Returned(List.copyOf(unused), Set.of());
    unused.clear();
    return all;
  }

  @Override
  public void release() {
    Reservation held = reservation.getAndSet(null);
    int left = held == null ? 0 : held.close();
    if (left > 0) {
      unused.add(new Adjustment(key, new WindowCounts(held.starts(), new long[] {left})));
    }
  }
}
