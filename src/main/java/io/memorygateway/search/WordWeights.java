package io.memorygateway.search;

/**
 * How much the words of a query tell about messages: the rarer, the more.
 *
 * @param alone by the share of the messages that contain a word
 * @param together by the share of those that contain it or stand beside one which does
 * @param telling as alone, but by a share of {@value #FEW} messages at least: a few tell nothing of
 *     how rare a word is
 * @param messages that were searched
 * @param meanLength of these, in words, at least 1
 */
@SuppressWarnings("ArrayRecordComponent") // its values are never compared
record WordWeights(
    double[] alone, double[] together, double[] telling, long messages, double meanLength) {
  static final int FEW = 30;

  /** About how much a word tells that one message alone contains. */
  double ofOneMessage() {
    return Math.log((double) Math.max(FEW, messages));
  }
}
