package io.memorygateway.format.align;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The algorithm of {@link Alignment}, on the atoms of call and thread. */
public final class Aligner {
  /** The most pairs of equal atoms that are compared: a fraction of a second's work. */
  private static final int MAX_PAIRS = 1 << 20;

  private final List<NormalForm> incoming;
  private final List<NormalForm> stored;
  private final List<Left> left;
  private final boolean brokenOff;
  private final AtomSequence call;
  private final Map<String, Integer> codes = new HashMap<>();

  /** Made when it is needed: most calls bring one new message, and are not compared with it. */
  private @Nullable AtomSequence thread;

  /** Atoms of both lines up to which they are the same: later ones of the call are new. */
  private int callTo;

  private int threadTo;

  /** By an index of the call, the index of the thread that it is paired with, or -1. */
  private int @Nullable [] pairs;

  /**
   * The comparison of a call with its thread.
   *
   * @param left messages of the thread that its conversation has left, oldest first
   */
  public Aligner(
      List<NormalForm> incoming, List<NormalForm> stored, List<Left> left, boolean brokenOff) {
    this.incoming = incoming;
    this.stored = stored;
    this.left = left;
    this.brokenOff = brokenOff;
    boolean references = incoming.stream().anyMatch(NormalForm::reference);
    List<NormalForm> compared = JoinedTail.apart(incoming, stored, brokenOff);
    this.call = AtomSequence.ofCall(compared, references ? itemsOf(stored) : Map.of(), codes);
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
    if (call.hasWitness(call.length()) && (continuesThread() || findWitness())) {
      followUsersWords();
    } else {
      findUnanswered();
    }
    int newFrom = newFrom();
    Alignment branch = left.isEmpty() ? null : oldBranch();
    branch = branch == null && startsBranch() ? newBranch(newFrom) : branch;
    if (branch != null) {
      return branch;
    }
    boolean repetition = newFrom == incoming.size() && callTo > 0 && threadTo < thread().length();
    return new Alignment(
        newFrom,
        knownParts(newFrom),
        repetition ? thread().message(threadTo - 1) + 1 : stored.size());
  }

  /**
   * Whether the call begins with the thread's end, and has no other atoms of the model: the usual
   * case, decided in linear time. No chain of pairs can score more, so {@link #findWitness} would
   * give the same result; but for results of the calls at the end, which are no echoes of results
   * that an earlier call of the same id and arguments has.
   */
  private boolean continuesThread() {
    int overlap = overlap(thread().length());
    boolean continues = call.hasWitness(overlap) && call.isNewFrom(overlap, !brokenOff);
    callTo = continues ? overlap : 0;
    threadTo = continues ? thread().length() : 0;
    return continues;
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
    ChainSearch search = new ChainSearch(call, thread(), codes.size(), MAX_PAIRS);
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
    while (next < incoming.size() && incoming.get(next).isSilent()) {
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
    int[] paired = pairs();
    int[] positions = new int[incoming.size()];
    Arrays.fill(positions, -1);
    for (int i = 0; i < callTo; i++) {
      if (paired[i] >= 0) {
        positions[call.message(i)] = thread().message(paired[i]);
      }
    }
    for (int message = 1; message < positions.length; message++) {
      positions[message] = Math.max(positions[message], positions[message - 1]);
    }
    return positions;
  }

  /**
   * What the call says otherwise than the thread among the messages that are known.
   *
   * @param alignment what {@link #align} returned
   */
  public OwnWords ownWords(Alignment alignment) {
    int known = alignment.newFrom();
    int[] paired = pairs();
    int[] places = new int[known];
    boolean[] same = new boolean[known];
    Arrays.fill(places, -1);
    Arrays.fill(same, true);
    for (int i = 0; i < callTo && call.message(i) < known; i++) {
      int message = call.message(i);
      places[message] = paired[i] < 0 ? places[message] : thread().message(paired[i]);
      same[message] &= isSame(i, paired[i]);
    }
    return OwnWords.of(incoming, stored, places, same, alignment.storedTo());
  }

  /**
   * Pairs the known atoms, from the end backwards: neighbours first, then the model's atoms
   * wherever they are, and then neighbours that were altered. Linear, which the search for the best
   * of all chains would not be.
   */
  private int[] pairs() {
    int[] made = pairs;
    if (made == null) {
      made = findPairs();
      pairs = made;
    }
    return made;
  }

  private int[] findPairs() {
    AtomSequence compared = thread();
    AtomSequence.Occurrences occurrences = compared.occurrences(codes.size());
    int[] found = new int[call.length()];
    Arrays.fill(found, -1);
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
        found[i] = pair;
        next = pair;
      }
    }
    return found;
  }

  private boolean isSame(int ofCall, int ofThread) {
    return ofCall >= 0 && ofThread >= 0 && call.exact(ofCall) == thread().exact(ofThread);
  }

  private boolean isAltered(int ofCall, int ofThread) {
    return ofThread >= 0 && call.loose(ofCall) == thread().loose(ofThread);
  }

  /**
   * Whether the call leaves what follows in the thread: it goes on with other words of the user
   * than the thread does, which were answered there.
   */
  private boolean startsBranch() {
    AtomSequence compared = thread();
    return callTo > 0
        && callTo < call.length()
        && call.kind(callTo) == Atom.Kind.USER
        && threadTo < compared.length()
        && compared.kind(threadTo) == Atom.Kind.USER
        && compared.message(threadTo) != compared.message(threadTo - 1)
        && compared.hasModelFrom(threadTo)
        && isNoMereTail();
  }

  /**
   * Whether the known part has the user's words and the answer to them directly before its end, or
   * begins where the thread does: other callers keep the end of what they know.
   */
  private boolean isNoMereTail() {
    boolean answered = false;
    int at = 1;
    while (at <= Math.min(callTo, threadTo)
        && (isSame(callTo - at, threadTo - at) || isAltered(callTo - at, threadTo - at))) {
      boolean isUser = call.kind(callTo - at) == Atom.Kind.USER;
      if (isUser && answered) {
        return true;
      }
      answered |= !isUser;
      at++;
    }
    return at > threadTo;
  }

  private Alignment newBranch(int newFrom) {
    Alignment.Branch branch = new Alignment.Branch(newFrom, List.of(), List.of());
    return new Alignment(newFrom, knownParts(newFrom), thread().message(threadTo), branch);
  }

  /** The branch that the call goes on with, if that is one that was left before; else null. */
  private @Nullable Alignment oldBranch() {
    int begun = 0;
    while (begun < Math.min(callTo, threadTo) && isSame(begun, begun)) {
      begun++;
    }
    // Where answers are alike, pairs from the end backwards miss the beginning.
    int[] beginning = IntStream.range(0, begun).toArray();
    Alignment behind = begun == 0 ? null : oldBranch(begun, beginning, false);
    if (behind != null) {
      return behind;
    }
    int[] paired = pairs();
    int at = 0;
    while (at < callTo && !isSame(at, paired[at])) {
      at++;
    }
    boolean isApart = at == callTo;
    at = isApart ? 0 : at;
    while (at < callTo && isSame(at, paired[at])) {
      at++;
    }
    return oldBranch(at, paired, isApart);
  }

  /** The same, of a call whose atoms before an index are those of the thread. */
  private @Nullable Alignment oldBranch(int known, int[] paired, boolean isApart) {
    int at = known;
    if (at == call.length()) {
      return null;
    }
    int from = call.message(at);
    while (at > 0 && call.message(at - 1) == from) {
      at--;
    }
    while (from > 0 && incoming.get(from).ofModel() && incoming.get(from - 1).isSilent()) {
      from--;
    }
    if (!isApart && (at == 0 || paired[at - 1] < 0)) {
      return null;
    }
    BranchWalk walk = new BranchWalk(stored, left);
    int storedTo = isApart ? walk.begin(incoming.get(from)) : thread().message(paired[at - 1]) + 1;
    int to = walk.follow(incoming, from, storedTo);
    boolean isBranch =
        !walk.revived().isEmpty()
            && (callTo == 0 || to > call.message(callTo - 1))
            && (walk.hasAnswer() || (!isApart && isNoMereTail()));
    Alignment.Branch branch = new Alignment.Branch(to, walk.revived(), walk.staying());
    return isBranch ? new Alignment(from, 0, storedTo, branch) : null;
  }

  private int knownParts(int newFrom) {
    int known = 0;
    for (int at = callTo - 1; at >= 0 && call.message(at) == newFrom; at--) {
      known++;
    }
    // Of one that is compared as several, nothing is known unless all is.
    return known == 0 || known < incoming.get(newFrom).size() ? known : 0;
  }
}
