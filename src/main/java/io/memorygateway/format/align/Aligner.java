package io.memorygateway.format.align;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The algorithm of {@link Alignment}, on the atoms of call and thread. */
public final class Aligner {
  /** The most pairs of equal atoms that are compared: a fraction of a second's work. */
  private static final int MAX_PAIRS = 1 << 20;

  private final List<NormalForm> incoming;
  private final List<NormalForm> stored;
  private final boolean brokenOff;
  private final AtomSequence call;
  private final Map<String, Integer> codes = new HashMap<>();
  private final int maxPairs;

  /** Made when it is needed: most calls bring one new message, and are not compared with it. */
  private @Nullable AtomSequence thread;

  /** Atoms of both lines up to which they are the same: later ones of the call are new. */
  private int callTo;

  private int threadTo;

  public Aligner(List<NormalForm> incoming, List<NormalForm> stored, boolean brokenOff) {
    this(incoming, stored, brokenOff, MAX_PAIRS);
  }

  public Aligner(
      List<NormalForm> incoming, List<NormalForm> stored, boolean brokenOff, int maxPairs) {
    this.maxPairs = maxPairs;
    this.incoming = incoming;
    this.stored = stored;
    this.brokenOff = brokenOff;
    boolean references = incoming.stream().anyMatch(NormalForm::reference);
    this.call = AtomSequence.ofCall(incoming, references ? itemsOf(stored) : Map.of(), codes);
  }

  /** The atoms of Responses items, by the items' ids. */
  private static Map<String, List<Atom>> itemsOf(List<NormalForm> stored) {
    Map<String, List<Atom>> items = new HashMap<>();
    for (NormalForm message : stored) {
      if (!message.itemId().isEmpty()) {
        items.put(message.itemId(), message.atoms());
      }
    }
    return items;
  }

  private AtomSequence thread() {
    AtomSequence made = thread;
    if (made == null) {
      made = AtomSequence.ofThread(stored, codes);
      thread = made;
    }
    return made;
  }

  public Alignment align() {
    if (call.hasWitness() && (continuesThread() || findWitness())) {
      followUsersWords();
    } else {
      findUnanswered();
    }
    int newFrom = newFrom();
    boolean repetition = newFrom == incoming.size() && callTo > 0 && threadTo < thread().length();
    return new Alignment(
        newFrom,
        knownParts(newFrom),
        repetition ? thread().message(threadTo - 1) + 1 : stored.size());
  }

  /**
   * Whether the call begins with the thread's end, and has no other atoms of the model: the usual
   * case, decided in linear time. No chain of pairs can score more, so {@link #findWitness} would
   * give the same result.
   */
  private boolean continuesThread() {
    int overlap = overlap(thread().length());
    boolean witness = false;
    for (int i = 0; i < call.length(); i++) {
      boolean isUser = call.kind(i) == Atom.Kind.USER;
      if (!isUser && i >= overlap) {
        return false;
      }
      witness |= !isUser;
    }
    callTo = witness ? overlap : 0;
    threadTo = witness ? thread().length() : 0;
    return witness;
  }

  /**
   * Length of the longest prefix of the call that is a suffix of the thread up to an index (Knuth,
   * Morris and Pratt).
   */
  private int overlap(int end) {
    int[] border = new int[call.length()];
    for (int i = 1, length = 0; i < border.length; i++) {
      length = extended(border, length, call.exact(i));
      border[i] = length;
    }
    AtomSequence compared = thread();
    int overlap = 0;
    for (int i = 0; i < end; i++) {
      overlap = overlap == border.length && overlap > 0 ? border[overlap - 1] : overlap;
      overlap = extended(border, overlap, compared.exact(i));
    }
    return overlap;
  }

  /** One step of the search: length of the prefix of the call that ends at the next atom. */
  private int extended(int[] border, int length, int code) {
    int matched = length;
    while (matched > 0 && call.exact(matched) != code) {
      matched = border[matched - 1];
    }
    return matched < call.length() && call.exact(matched) == code ? matched + 1 : matched;
  }

  private boolean findWitness() {
    ChainSearch search = new ChainSearch(call, thread(), codes.size(), maxPairs);
    boolean found = search.find();
    callTo = search.callTo();
    threadTo = search.threadTo();
    return found;
  }

  /** Extends the known part by equal messages of the user behind the witness. */
  private void followUsersWords() {
    AtomSequence compared = thread();
    int same = 0;
    while (callTo + same < call.length()
        && threadTo + same < compared.length()
        && call.exact(callTo + same) == compared.exact(threadTo + same)) {
      same++;
    }
    boolean repeatsAll = callTo + same == call.length();
    if (!repeatsAll || compared.ofModelFrom(threadTo + same)) {
      callTo += same;
      threadTo += same;
    }
  }

  /**
   * Finds the longest suffix of the thread's unanswered user messages that is a prefix of the call.
   */
  private void findUnanswered() {
    if (!endsUnanswered()) {
      return;
    }
    int end = thread().length();
    while (thread().kind(end - 1).ofModel()) {
      end--;
    }
    callTo = overlap(end);
    threadTo = callTo == 0 ? 0 : end;
  }

  /** Whether the thread's last atom is not the model's, or the last one before what broke off. */
  private boolean endsUnanswered() {
    for (int at = stored.size() - 1; at >= 0; at--) {
      NormalForm message = stored.get(at);
      List<Atom> atoms = message.atoms();
      for (int i = atoms.size() - 1; i >= 0 && !message.reference(); i--) {
        if (!atoms.get(i).kind().ofModel()) {
          return true;
        }
        if (!brokenOff) {
          return false;
        }
      }
      if (message.reference() && !brokenOff) {
        return false;
      }
    }
    return false;
  }

  private int newFrom() {
    if (callTo == 0) {
      return 0;
    }
    int message = call.message(callTo - 1);
    if (callTo < call.length() && call.message(callTo) == message && !call.kind(callTo).ofModel()) {
      return message; // new parts were added to it
    }
    message++;
    // Reasoning after a known message is known too: callers have none of their own.
    int next = message;
    while (next < incoming.size() && isSilent(incoming.get(next))) {
      next++;
    }
    boolean answerFollows =
        next < incoming.size() && next > message && incoming.get(next).ofModel();
    return answerFollows ? message : next;
  }

  /**
   * Index of a message of the call → index of the stored message that it is, or that the nearest
   * one before it is; -1 if there is none. Never decreasing. Valid after {@link #align}; new
   * messages come after all stored ones.
   */
  public int[] positions() {
    int[] pairs = pairs();
    int[] positions = new int[incoming.size()];
    Arrays.fill(positions, -1);
    for (int i = 0; i < callTo; i++) {
      if (pairs[i] >= 0) {
        positions[call.message(i)] = thread().message(pairs[i]);
      }
    }
    for (int message = 1; message < positions.length; message++) {
      positions[message] = Math.max(positions[message], positions[message - 1]);
    }
    return positions;
  }

  /**
   * Pairs the known atoms, from the end backwards: neighbours first, then the model's atoms
   * wherever they are, and then neighbours that were altered. Linear, which the search for the best
   * of all chains would not be.
   */
  private int[] pairs() {
    AtomSequence compared = thread();
    AtomSequence.Occurrences occurrences = compared.occurrences(codes.size());
    int[] pairs = new int[call.length()];
    Arrays.fill(pairs, -1);
    int next = threadTo;
    boolean run = true;
    for (int i = callTo - 1; i >= 0; i--) {
      int pair = next - 1;
      if (!isSame(i, pair)) {
        boolean isUser = call.kind(i) == Atom.Kind.USER;
        pair = isUser ? -1 : occurrences.lastBefore(call.exact(i), next);
        if (run && isAltered(i, next - 1) && (pair < 0 || isSame(i - 1, next - 2))) {
          pair = next - 1;
        }
      }
      run = pair >= 0;
      if (run) {
        pairs[i] = pair;
        next = pair;
      }
    }
    return pairs;
  }

  private boolean isSame(int ofCall, int ofThread) {
    return ofCall >= 0 && ofThread >= 0 && call.exact(ofCall) == thread().exact(ofThread);
  }

  private boolean isAltered(int ofCall, int ofThread) {
    return ofThread >= 0 && call.loose(ofCall) == thread().loose(ofThread);
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
