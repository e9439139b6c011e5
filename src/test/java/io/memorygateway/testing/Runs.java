package io.memorygateway.testing;

/** How often property tests run: with all tests as often as they say, else a quarter as often. */
public final class Runs {
  private static final boolean ALL = System.getProperty("test.excluded", "").isEmpty();

  private Runs() {}

  /** Returns the number of runs where all tests run, or a quarter of it. */
  public static int of(int all) {
    return ALL ? all : (all + 3) / 4;
  }
}
