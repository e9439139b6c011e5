package io.memorygateway.database;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The homes that projects have: what works through a table does so home by home. */
public final class Homes {
  private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Jdbi jdbi;
  private volatile List<Home> known = List.of();
  private volatile long readAt;

  public Homes(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** The homes as of a few seconds ago, home 0 first. */
  public List<Home> known() {
    long now = System.nanoTime();
    if (known.isEmpty() || now - readAt > KNOWN_NANOS) {
      known = List.copyOf(of(jdbi));
      readAt = now;
    }
    return known;
  }

  /** The homes, in order, whether or not home 0 has a project: one look-up in an index for each. */
  public static List<Home> of(Jdbi jdbi) {
    return jdbi.withHandle(
        handle -> {
          List<Home> homes = new ArrayList<>();
          for (Home home = Home.FIRST; home != null; home = next(handle, home)) {
            homes.add(home);
          }
          return homes;
        });
  }

  private static @Nullable Home next(Handle handle, Home home) {
    return handle
        .createQuery("SELECT id FROM projects WHERE id > :last ORDER BY id LIMIT 1")
        .bind("last", home.last())
        .mapTo(Long.class)
        .findOne()
        .map(Home::of)
        .orElse(null);
  }
}
