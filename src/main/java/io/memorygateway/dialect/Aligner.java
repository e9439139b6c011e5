package io.memorygateway.dialect;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The work of {@link Alignment}, on the atoms of both lists. */
final class Aligner {
  private static final int SAME = 4;
  private static final int WITHOUT_GAP = 2;
  private static final int ECHO = 1;

  private final List<NormalForm> incoming;
  private final int storedMessages;
  private final boolean brokenOff;
  private final AtomLine call;
  private final AtomLine thread;

  /** Atoms of both lines up to which they are the same: what follows in the call is new. */
  private int callTo;

  private int threadTo;

  Aligner(List<NormalForm> incoming, List<NormalForm> stored, boolean brokenOff) {
    this.incoming = incoming;
    this.storedMessages = stored.size();
    this.brokenOff = brokenOff;
    Map<String, List<Atom>> items = new HashMap<>();
    for (NormalForm message : stored) {
      if (!message.itemId().isEmpty()) {
        items.put(message.itemId(), message.atoms());
      }
    }
    Map<String, Integer> codes = new HashMap<>();
    this.call = new AtomLine(incoming, items, codes);
    this.thread = new AtomLine(stored, Map.of(), codes);
  }

  Alignment align() {
    if (continuesThread() || findWitness()) {
      followUsersWords();
    } else {
      findUnanswered();
    }
    int newFrom = newFrom();
    boolean repetition = newFrom == incoming.size() && callTo > 0 && threadTo < thread.length();
    return new Alignment(
        newFrom,
        knownParts(newFrom),
        repetition ? thread.message(threadTo - 1) + 1 : storedMessages);
  }

  /**
   * The usual case, in linear time: the call begins with the thread's end, and brings nothing of
   * the model's but what is there. No chain of pairs can score more, so {@link #findWitness} would
   * say the same.
   */
  private boolean continuesThread() {
    int[] border = new int[call.length()];
    for (int i = 1, length = 0; i < border.length; i++) {
      length = extended(border, length, call.exact(i));
      border[i] = length;
    }
    int overlap = 0;
    for (int i = 0; i < thread.length(); i++) {
      overlap = overlap == border.length && overlap > 0 ? border[overlap - 1] : overlap;
      overlap = extended(border, overlap, thread.exact(i));
    }
    boolean witness = false;
    for (int i = 0; i < call.length(); i++) {
      boolean said = call.kind(i) == Atom.Kind.SAID;
      if (!said && i >= overlap) {
        return false;
      }
      witness |= !said;
    }
    callTo = witness ? overlap : 0;
    threadTo = witness ? thread.length() : 0;
    return witness;
  }

  /** One step of Knuth, Morris and Pratt: how much of the call's beginning now ends here. */
  private int extended(int[] border, int length, int code) {
    int matched = length;
    while (matched > 0 && call.exact(matched) != code) {
      matched = border[matched - 1];
    }
    return matched < call.length() && call.exact(matched) == code ? matched + 1 : matched;
  }

  /**
   * The chain of pairs with the highest score that ends with something of the model. Two rows are
   * enough, since only its end is asked for.
   */
  private boolean findWitness() {
    int best = 0;
    int[] endingAt = new int[thread.length() + 1];
    int[] upTo = new int[thread.length() + 1];
    for (int i = 0; i < call.length(); i++) {
      boolean witness = call.kind(i) != Atom.Kind.SAID;
      int[] newEndingAt = new int[endingAt.length];
      int[] newUpTo = new int[upTo.length];
      for (int j = 0; j < thread.length(); j++) {
        int score = 0;
        if (call.exact(i) == thread.exact(j)) {
          int run = endingAt[j] == 0 ? 0 : endingAt[j] + WITHOUT_GAP;
          score = SAME + Math.max(run, upTo[j]);
        } else if (call.loose(i) == thread.loose(j) && endingAt[j] > 0) {
          score = ECHO + endingAt[j];
        }
        newEndingAt[j + 1] = score;
        newUpTo[j + 1] = Math.max(Math.max(newUpTo[j], upTo[j + 1]), score);
        if (witness && score > 0 && score >= best) {
          best = score;
          callTo = i + 1;
          threadTo = j + 1;
        }
      }
      endingAt = newEndingAt;
      upTo = newUpTo;
    }
    return best > 0;
  }

  /** What the user said behind the witness, in both. */
  private void followUsersWords() {
    int same = 0;
    while (callTo + same < call.length()
        && threadTo + same < thread.length()
        && call.exact(callTo + same) == thread.exact(threadTo + same)) {
      same++;
    }
    boolean repeatsAll = callTo + same == call.length();
    if (!repeatsAll || thread.ofModelFrom(threadTo + same)) {
      callTo += same;
      threadTo += same;
    }
  }

  /** The longest end of the thread's open question that the call begins with. */
  private void findUnanswered() {
    int end = thread.length();
    while (brokenOff && end > 0 && thread.kind(end - 1).ofModel()) {
      end--;
    }
    for (int length = Math.min(call.length(), end); length > 0; length--) {
      if (same(end - length, length) && !thread.kind(end - 1).ofModel()) {
        callTo = length;
        threadTo = end;
        return;
      }
    }
  }

  private boolean same(int from, int length) {
    for (int i = 0; i < length; i++) {
      if (call.exact(i) != thread.exact(from + i)) {
        return false;
      }
    }
    return true;
  }

  private int newFrom() {
    if (callTo == 0) {
      return 0;
    }
    int message = call.message(callTo - 1);
    if (callTo < call.length() && call.message(callTo) == message && !call.kind(callTo).ofModel()) {
      return message; // something new was added to it
    }
    message++;
    // Reasoning that belongs to what is known: callers make none.
    int next = message;
    while (next < incoming.size() && isSilent(incoming.get(next))) {
      next++;
    }
    boolean answerFollows =
        next < incoming.size() && next > message && incoming.get(next).ofModel();
    return answerFollows ? message : next;
  }

  private int knownParts(int newFrom) {
    int known = 0;
    for (int at = callTo - 1; at >= 0 && call.message(at) == newFrom; at--) {
      known++;
    }
    return known;
  }

  private static boolean isSilent(NormalForm message) {
    return message.ofModel() && message.atoms().isEmpty() && !message.reference();
  }
}
