package io.memorygateway.database;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The homes that projects have, or had before they were moved: what works through a table does so
 * home by home.
 */
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

  /**
   * Does work for one home after the other; what fails for some keeps none of the others from it,
   * and is thrown after them.
   *
   * @param items homes, or what is of one home each
   */
  public static <T> void each(Iterable<T> items, Consumer<T> work) {
    RuntimeException first = null;
    for (T item : items) {
      try {
        work.accept(item);
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private static @Nullable Home next(Handle handle, Home home) {
    return handle
        .createQuery(
            """
            (SELECT id FROM projects WHERE id > :last ORDER BY id LIMIT 1)
            UNION ALL
            (SELECT id FROM id_moves WHERE owner = 'project' AND id > :last ORDER BY id LIMIT 1)
            ORDER BY id LIMIT 1
            """)
        .bind("last", home.last())
        .mapTo(Long.class)
        .findOne()
        .map(Home::of)
        .orElse(null);
  }
}
