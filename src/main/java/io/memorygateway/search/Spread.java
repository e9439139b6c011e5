package io.memorygateway.search;

/** The mean of numbers, and how far they lie from it. */
final class Spread {
  private static final double LEAST_VARIANCE = 1e-12;

  private long count;
  private double sum;
  private double squares;

  /** Adds a number; one that is none is left out. */
  void add(double number) {
    if (!Double.isNaN(number)) {
      count++;
      sum += number;
      squares += number * number;
    }
  }

  /** Adds zeros, so that there are so many numbers. */
  void fill(long numbers) {
    count = Math.max(count, numbers);
  }

  long count() {
    return count;
  }

  /** The standard deviation; 1 if all numbers are alike. */
  double deviation() {
    double mean = mean();
    double variance = squares / Math.max(1, count) - mean * mean;
    return variance < LEAST_VARIANCE ? 1 : Math.sqrt(variance);
  }

  /** How many standard deviations a number is above the mean; 0 if it is none. */
  double standing(double number) {
    return Double.isNaN(number) ? 0 : (number - mean()) / deviation();
  }

  private double mean() {
    return sum / Math.max(1, count);
  }
}
