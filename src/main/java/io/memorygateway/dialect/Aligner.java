package io.memorygateway.dialect;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The work of {@link Alignment}, on the atoms of both lists. */
final class Aligner {
  /** Pairs of equal atoms that are looked at: a fraction of a second's work. */
  private static final int MOST_PAIRS = 1 << 20;

  private final List<NormalForm> incoming;
  private final int storedMessages;
  private final boolean brokenOff;
  private final AtomLine call;
  private final AtomLine thread;
  private final int codes;
  private final int mostPairs;

  /** Atoms of both lines up to which they are the same: what follows in the call is new. */
  private int callTo;

  private int threadTo;

  Aligner(List<NormalForm> incoming, List<NormalForm> stored, boolean brokenOff) {
    this(incoming, stored, brokenOff, MOST_PAIRS);
  }

  Aligner(List<NormalForm> incoming, List<NormalForm> stored, boolean brokenOff, int mostPairs) {
    this.mostPairs = mostPairs;
    this.incoming = incoming;
    this.storedMessages = stored.size();
    this.brokenOff = brokenOff;
    Map<String, List<Atom>> items = new HashMap<>();
    for (NormalForm message : stored) {
      if (!message.itemId().isEmpty()) {
        items.put(message.itemId(), message.atoms());
      }
    }
    Map<String, Integer> codeOf = new HashMap<>();
    this.call = new AtomLine(incoming, items, codeOf);
    this.thread = new AtomLine(stored, Map.of(), codeOf);
    this.codes = codeOf.size();
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
    int overlap = overlap(thread.length());
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

  /**
   * Length of the longest prefix of the call that the thread, up to an index, ends with (Knuth,
   * Morris and Pratt).
   */
  private int overlap(int end) {
    int[] border = new int[call.length()];
    for (int i = 1, length = 0; i < border.length; i++) {
      length = extended(border, length, call.exact(i));
      border[i] = length;
    }
    int overlap = 0;
    for (int i = 0; i < end; i++) {
      overlap = overlap == border.length && overlap > 0 ? border[overlap - 1] : overlap;
      overlap = extended(border, overlap, thread.exact(i));
    }
    return overlap;
  }

  /** One step: how much of the call's beginning now ends here. */
  private int extended(int[] border, int length, int code) {
    int matched = length;
    while (matched > 0 && call.exact(matched) != code) {
      matched = border[matched - 1];
    }
    return matched < call.length() && call.exact(matched) == code ? matched + 1 : matched;
  }

  private boolean findWitness() {
    WitnessSearch search = new WitnessSearch(call, thread, codes, mostPairs);
    boolean found = search.find();
    callTo = search.callTo();
    threadTo = search.threadTo();
    return found;
  }

  /** The user's messages behind the witness, in both. */
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
    boolean open = end > 0 && !thread.kind(end - 1).ofModel();
    callTo = open ? overlap(end) : 0;
    threadTo = callTo == 0 ? 0 : end;
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

  /**
   * The place of the call's messages in the thread: by message of the call, the index of the stored
   * message that it is, or that the nearest one before it is; -1 where there is none. Never
   * decreasing. To be asked after {@link #align}; what is new stands behind all that is stored.
   */
  int[] places() {
    int[] pairs = pairs();
    int[] places = new int[incoming.size()];
    Arrays.fill(places, -1);
    for (int i = 0; i < callTo; i++) {
      if (pairs[i] >= 0) {
        places[call.message(i)] = thread.message(pairs[i]);
      }
    }
    for (int message = 1; message < places.length; message++) {
      places[message] = Math.max(places[message], places[message - 1]);
    }
    return places;
  }

  /**
   * Pairs what is known, from its end back: neighbours first, be they altered, then what the model
   * said wherever it stands. Linear, where the best of all chains would not be.
   */
  private int[] pairs() {
    AtomLine.Occurrences occurrences = thread.occurrences(codes);
    int[] pairs = new int[call.length()];
    Arrays.fill(pairs, -1);
    int next = threadTo;
    boolean run = true;
    for (int i = callTo - 1; i >= 0; i--) {
      boolean same = next > 0 && call.exact(i) == thread.exact(next - 1);
      boolean altered = next > 0 && run && call.loose(i) == thread.loose(next - 1);
      int pair = next - 1;
      if (!same && !altered) {
        boolean said = call.kind(i) == Atom.Kind.SAID;
        pair = said ? -1 : occurrences.lastBefore(call.exact(i), next);
      }
      run = pair >= 0;
      if (run) {
        pairs[i] = pair;
        next = pair;
      }
    }
    return pairs;
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
