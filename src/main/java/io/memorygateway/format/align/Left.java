package io.memorygateway.format.align;

import java.util.ArrayList;
import java.util.List;

/**
 * A message of a branch that the thread's conversation has left: it is stored and superseded.
 *
 * @param behind number of the messages of the conversation that were stored before it
 */
public record Left(NormalForm form, int behind) {
  /** All messages in the order in which they were stored. */
  public static List<NormalForm> among(List<NormalForm> stored, List<Left> left) {
    if (left.isEmpty()) {
      return stored;
    }
    List<NormalForm> all = new ArrayList<>(stored.size() + left.size());
    int from = 0;
    for (Left message : left) {
      all.addAll(stored.subList(from, message.behind()));
      from = message.behind();
      all.add(message.form());
    }
    all.addAll(stored.subList(from, stored.size()));
    return all;
  }
}
