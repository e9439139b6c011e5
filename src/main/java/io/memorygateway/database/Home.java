package io.memorygateway.database;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;

/**
 * A home: the place of a project among the shards of a database. Ids of projects, keys and threads
 * carry it in their upper 16 bits, so that every row tells by its ids where it lives. Ids are
 * signed, so the highest bit stays free. Ids below 2⁴⁸ are of home 0.
 */
public record Home(int number) implements Comparable<Home> {
  /** The home of all projects where there is no other. */
  public static final Home FIRST = new Home(0);

  private static final int BITS = 48;
  private static final int MAX = 0x7FFF;

  /**
   * A home by its number.
   *
   * @throws IllegalArgumentException if there is none of this number
   */
  public Home {
    checkArgument(number >= 0 && number <= MAX, "a home is a number from 0 to " + MAX);
  }

  public static Home of(long id) {
    return new Home((int) (id >>> BITS));
  }

  /**
   * Divides what one transaction would write by homes, since a transaction writes in one. Items of
   * a home stay in their order.
   *
   * @param id some id of an item that carries its home
   */
  public static <T> Collection<List<T>> groups(List<T> items, ToLongFunction<T> id) {
    Map<Long, List<T>> groups = new LinkedHashMap<>();
    for (T item : items) {
      groups.computeIfAbsent(id.applyAsLong(item) >>> BITS, home -> new ArrayList<>()).add(item);
    }
    return groups.values();
  }

  /** A random id that carries the home. */
  public long randomId(RandomGenerator random) {
    return first() + (random.nextLong() >>> (Long.SIZE - BITS));
  }

  /** A random id with this home in place of the one that it carries, if any. */
  public long adopt(long randomId) {
    return first() + (randomId & (1L << BITS) - 1);
  }

  /** The least id of the home. */
  public long first() {
    return (long) number << BITS;
  }

  /** The greatest id of the home. */
  public long last() {
    return first() + (1L << BITS) - 1;
  }

  /**
   * The least id of the home that {@link Ids} gives: its quarter is one that no server has counted
   * in.
   */
  long firstGiven() {
    return first() + (1L << (BITS - 2));
  }

  /** The greatest id of the home that {@link Ids} gives. */
  long lastGiven() {
    return first() + (1L << (BITS - 1)) - 1;
  }

  @Override
  public int compareTo(Home other) {
    return Integer.compare(number, other.number);
  }
}
