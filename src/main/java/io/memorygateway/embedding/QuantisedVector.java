package io.memorygateway.embedding;

/**
 * Converts vectors to one byte a number. They are compared by their angle alone, so each is scaled
 * so that its largest number becomes 127; the scale is not stored.
 */
public final class QuantisedVector {
  private static final float MAX_COMPONENT = 127;

  private QuantisedVector() {}

  /** The bytes of a vector of finite numbers that are not all zero. */
  public static byte[] of(float[] vector) {
    float largest = 0;
    for (float number : vector) {
      largest = Math.max(largest, Math.abs(number));
    }
    byte[] bytes = new byte[vector.length];
    for (int i = 0; i < vector.length; i++) {
      bytes[i] = (byte) Math.round(vector[i] / largest * MAX_COMPONENT);
    }
    return bytes;
  }

  /** The length of a vector within an array. */
  static float norm(byte[] bytes, int from, int dimensions) {
    int sum = 0;
    for (int i = from; i < from + dimensions; i++) {
      sum += bytes[i] * bytes[i];
    }
    return (float) Math.sqrt(sum);
  }

  /** The scalar product of a vector and one within an array. */
  static int product(byte[] one, byte[] bytes, int from) {
    int sum = 0;
    for (int i = 0; i < one.length; i++) {
      sum += one[i] * bytes[from + i];
    }
    return sum;
  }
}
