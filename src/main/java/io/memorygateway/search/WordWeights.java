package io.memorygateway.search;

/**
 * How much the words of a query tell about messages: the rarer, the more.
 *
 * @param alone by the share of the messages that contain a word
 * @param together by the share of those that contain it or stand beside one which does
 * @param messages that were searched
 * @param meanLength of these, in words, at least 1
 */
@SuppressWarnings("ArrayRecordComponent") // its values are never compared
record WordWeights(double[] alone, double[] together, long messages, double meanLength) {
  /** About how much a word tells that one message alone contains. */
  double ofOneMessage() {
    return Math.log(Math.max(2, (double) messages));
  }
}
