package io.memorygateway.budget;

import io.memorygateway.json.Sha256;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A budget as it is in force now.
 *
 * @param limit amount in its unit, temporary increases included
 * @param models globs of {@code provider/model} or names of routes; empty: all
 * @param shadow whether calls are counted and never refused
 * @param allowsUnpriced whether calls go up whose price is not known
 */
public record Budget(
    String name,
    BudgetUnit unit,
    long limit,
    BudgetSpan span,
    BudgetOwner owner,
    List<String> models,
    boolean shadow,
    boolean allowsUnpriced) {

  public Budget {
    models = List.copyOf(models);
  }

  /** The id of the row of one of its windows. */
  public long windowId(long ownerId, BudgetSpan.Window window) {
    return windowId(
        owner.wireName(), ownerId, name, unit.wireName(), span.toString(), window.start());
  }

  /** The id of a window's row. */
  public static long windowId(
      String owner, long ownerId, String name, String unit, String span, long start) {
    String text =
        String.join("/", owner, Long.toString(ownerId), name, unit, span, Long.toString(start));
    return ByteBuffer.wrap(Sha256.of(text)).getLong();
  }
}
