package io.memorygateway.format.align;

import java.util.Map;

/**
 * What a call says otherwise than its thread where both stand in the same place: it goes up as the
 * caller sends it, and is not stored again.
 *
 * @param head number of messages at the call's beginning that the thread does not have, although
 *     what follows them is known: a summary
 * @param instead number of the thread's first compared messages in whose place they go up
 * @param changed by the index of a stored message, that of the call's message in its place
 */
public record OwnWords(int head, int instead, Map<Integer, Integer> changed) {
  static final OwnWords NONE = new OwnWords(0, 0, Map.of());
}
