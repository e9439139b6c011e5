package io.memorygateway.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Texts on which searches that go back cost the square of their length, and a check that ten times
 * the text is at most forty times the work: the square would be a hundred times. Compares the
 * processor time of one thread with itself, so that neither a slow machine nor other work on it
 * counts; what takes less than a millisecond counts as one.
 */
public final class HostileText {
  private static final int MAX_RATIO = 40;
  private static final long MIN_NANOS = 1_000_000;
  private static final int RUNS = 3;

  private static final String CHARACTERS =
      " \t\n\r\f/\\?#.,;:!'\"`~*_-+=|&%@$^<>()[]{}0aAé\u0301\u00a0\u2028中？\ud83d\ude00\ud800\udc00\u0000";

  private static final List<String> UNITS =
      List.of(
          "?\n",
          "\n\n",
          "\r\n",
          "\n ",
          "  \n",
          "``",
          "```\n",
          "~~~\n",
          "```a\n",
          "<!--",
          "</ ",
          "< \n",
          "[[",
          "[]",
          "[\n",
          "](",
          "{}",
          "{\"",
          "\\\"",
          "\\u",
          "a.",
          "a-",
          "a'",
          "1,",
          "1 ",
          "a b ",
          "http://",
          "* ",
          "- ",
          "# ",
          "Date: ",
          "-> ",
          "a: ",
          "? ",
          "!?",
          ". a",
          "...",
          "in 1 ",
          "last ",
          "the day ",
          "msk_",
          "msk_0",
          "<observations",
          "Your ",
          "[Your ",
          "é\u0301",
          "e\u0301\u0323",
          "data: \n",
          ":\n",
          "event: a\n",
          "observations block ",
          "observations  ",
          "a, ",
          "a; ",
          "、",
          "。");

  private HostileText() {}

  /** What repeats in the texts: each character, some words, and random ones of both. */
  public static List<String> units() {
    List<String> units = new ArrayList<>(UNITS);
    CHARACTERS.chars().forEach(c -> units.add(String.valueOf((char) c)));
    List<String> simple = List.copyOf(units);
    Random random = new Random(20261127);
    for (int i = 0; i < 24; i++) {
      StringBuilder unit = new StringBuilder();
      for (int j = 0; j < 2 + i % 3; j++) {
        unit.append(simple.get(random.nextInt(simple.size())));
      }
      units.add(unit.toString());
    }
    return units;
  }

  /**
   * Asserts that the work of a reader is about proportional to the length of its text, whatever
   * repeats in it, and whatever comes behind.
   *
   * @param length of the shorter text
   */
  public static void assertLinear(int length, Consumer<String> reader) {
    List<String> found = new ArrayList<>();
    for (String unit : units()) {
      add(unit, text(unit, length), text(unit, 10 * length), reader, found);
    }
    assertThat(found).as("what repeats in texts that take more than their length").isEmpty();
  }

  /** Asserts that a text of ten times as many parts takes about ten times the work. */
  public static void assertLinear(int parts, IntFunction<String> part, Consumer<String> reader) {
    List<String> found = new ArrayList<>();
    add(part.apply(0), text(parts, part), text(10 * parts, part), reader, found);
    assertThat(found).isEmpty();
  }

  private static String text(int parts, IntFunction<String> part) {
    return IntStream.range(0, parts).mapToObj(part).collect(Collectors.joining());
  }

  private static void add(
      String unit, String shorter, String longer, Consumer<String> reader, List<String> found) {
    long once = nanos(reader, longer, Long.MAX_VALUE);
    if (once < MAX_RATIO * MIN_NANOS) {
      return; // Whatever the shorter one takes.
    }
    long few = nanos(reader, shorter, Long.MIN_VALUE);
    long bound = MAX_RATIO * Math.max(few, MIN_NANOS);
    // Once more: the first run may have been one of code that was not compiled yet.
    long many = once < bound ? once : nanos(reader, longer, bound);
    if (many >= bound) {
      found.add("'%s': %,d ns, ten times as much %,d ns".formatted(unit, few, many));
    }
  }

  private static String text(String unit, int length) {
    return unit.repeat(length / unit.length()) + "\n  x";
  }

  /** The least time of some runs, or the first that is less than what is enough. */
  private static long nanos(Consumer<String> reader, String text, long enough) {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < RUNS && best >= enough; i++) {
      long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      reader.accept(text);
      best = Math.min(best, ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before);
    }
    return best;
  }
}
