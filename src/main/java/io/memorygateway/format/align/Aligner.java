package io.memorygateway.format.align;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The algorithm of {@link Alignment}, on the atoms of call and thread. */
public final class Aligner {
  /** The most pairs of equal atoms that are compared: a fraction of a second's work. */
  private static final int MAX_PAIRS = 1 << 20;

  /** The call's messages as its client has them. */
  private final List<NormalForm> given;

  private final List<NormalForm> incoming;
  private final List<NormalForm> stored;
  private final List<Left> left;
  private final boolean brokenOff;

  /** Whether the client has not kept some answers that broke off. */
  private final boolean lacksAnswers;

  private final AtomSequence call;
  private final Map<String, Integer> codes = new HashMap<>();

  /** Made when it is needed: most calls bring one new message, and are not compared with it. */
  private @Nullable AtomSequence thread;

  /** Atoms of both lines up to which they are the same: later ones of the call are new. */
  private int callTo;

  private int threadTo;

  /** Number of messages in whose place a branch says something else. */
  private int instead;

  /** Of the known atoms. */
  private @Nullable Pairs pairs;

  /**
   * The comparison of a call with its thread.
   *
   * @param left messages of the thread that its conversation has left, oldest first
   */
  public Aligner(List<NormalForm> incoming, List<NormalForm> thread, List<Left> left) {
    this.given = incoming;
    this.incoming = AlteredCalls.asStored(incoming, thread, left);
    this.left = left;
    this.brokenOff = !thread.isEmpty() && thread.get(thread.size() - 1).isIncomplete();
    List<NormalForm> apart = JoinedTail.apart(this.incoming, thread);
    this.stored = BrokenAnswers.asKept(thread, apart, left);
    this.lacksAnswers = stored != thread;
    boolean references = incoming.stream().anyMatch(NormalForm::reference);
    this.call =
        AtomSequence.ofCall(
            JoinedAnswers.apart(apart, stored),
            references ? NormalForm.itemsOf(stored) : Map.of(),
            codes);
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
    boolean hasWitness = call.hasWitness(call.length());
    boolean continues = hasWitness && continuesThread();
    boolean isWhole = continues && threadTo == callTo && isFollowedByWords();
    if (continues || (hasWitness && findWitness())) {
      followUsersWords();
    } else {
      findUnanswered();
    }
    boolean leaves =
        leavesAnswer()
            || tellsCallsInWords()
            || (call.callsAt(callTo) && thread().endsWithCalls(threadTo));
    Alignment branch = left.isEmpty() || isWhole ? null : oldBranch();
    if (branch != null) {
      return branch;
    }
    leaves |= startsBranch();
    int newFrom = newFrom();
    if (leaves) {
      return newBranch(newFrom);
    }
    // What broke off before it had said anything is no part of what the call repeats.
    boolean repetition =
        newFrom == incoming.size() && callTo > 0 && (brokenOff || threadTo < thread().length());
    int storedTo = repetition ? thread().message(threadTo - 1) + 1 : stored.size();
    return new Alignment(newFrom, knownParts(newFrom), storedTo);
  }

  /**
   * Whether the call begins with the thread's end, and has no other atoms of the model: the usual
   * case, decided in linear time. No chain of pairs can score more, so {@link #findWitness} would
   * give the same result; but for results of the calls at the end, which are no echoes of results
   * that an earlier call of the same id and arguments has.
   */
  private boolean continuesThread() {
    int overlap = call.overlap(thread(), thread().length());
    boolean continues = call.hasWitness(overlap) && call.isNewFrom(overlap, !brokenOff);
    callTo = continues ? overlap : 0;
    threadTo = continues ? thread().length() : 0;
    return continues;
  }

  private boolean isFollowedByWords() {
    return callTo < call.length() && call.kind(callTo) == Atom.Kind.USER;
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
    int before = threadTo;
    int same = sameFrom(threadTo);
    if (same == 0) {
      int next = compared.behindTools(threadTo);
      same = sameFrom(next);
      threadTo = same > 0 ? next : threadTo;
    }
    callTo += same;
    threadTo += same;
    if (same > 0 && callTo == call.length() && !compared.ofModelFrom(threadTo) && !isAskedAgain()) {
      callTo -= same;
      threadTo = before;
    }
    pairs = null;
  }

  /** Number of the call's atoms behind the known ones that stand at a place of the thread. */
  private int sameFrom(int place) {
    int same = 0;
    while (callTo + same < call.length()
        && place + same < thread().length()
        && call.exact(callTo + same) == thread().exact(place + same)) {
      same++;
    }
    // Of one that is compared as several, nothing is known unless all is.
    int end = callTo + same;
    if (same == 0 || !call.isWithin(end)) {
      return same;
    }
    int first = call.firstOf(end);
    int next = call.before(call.message(end) + 1);
    boolean isApart = next - first != incoming.get(call.message(end)).size();
    return isApart ? Math.max(0, first - callTo) : same;
  }

  /** Whether the call ends with what nobody but its client says, and the thread goes on there. */
  private boolean isAskedAgain() {
    return !call.kind(callTo - 1).ofModel()
        && !thread().ofModelFrom(threadTo)
        && isLeft(threadTo)
        && isNoMereTail();
  }

  /** Whether what the thread has from an index on was answered, or its answer broke off. */
  private boolean isLeft(int place) {
    return thread().hasModelFrom(place)
        || stored.subList(thread().message(place), stored.size()).stream()
            .anyMatch(NormalForm::isIncomplete);
  }

  /**
   * Goes back to before the last known answer, if it has calls that the thread's answer there
   * lacks: it is another one, and new as a whole, for its results are.
   *
   * @return whether it takes the place of the thread's
   */
  private boolean leavesAnswer() {
    if (callTo == 0 || !call.kind(callTo - 1).ofModel()) {
      return false;
    }
    int first = call.firstOf(callTo - 1);
    Pairs paired = pairs();
    int place = threadTo;
    Set<Integer> calls = new HashSet<>();
    for (int at = first; at < call.length() && call.message(at) == call.message(first); at++) {
      place = at < callTo && paired.of(at) >= 0 ? Math.min(place, paired.of(at)) : place;
      if (call.atom(at).isCall()) {
        calls.add(call.loose(at));
      }
    }
    AtomSequence compared = thread();
    int from = threadTo;
    while (from > 0 && compared.kind(from - 1).ofModel()) {
      calls.remove(compared.loose(--from));
    }
    int to = threadTo;
    while (to < compared.length() && compared.kind(to).ofModel()) {
      calls.remove(compared.loose(to++));
    }
    if (calls.isEmpty()) {
      return false;
    }
    callTo = first;
    threadTo = compared.firstOf(place);
    while (callTo > 0 && paired.of(callTo - 1) >= threadTo) {
      callTo = call.firstOf(callTo - 1);
    }
    return to == compared.length() || isNoMereTail();
  }

  /**
   * Goes back to before the answer with which the thread ends, if it has calls of which the call
   * knows nothing, and which says something else there: its client tells the model's calls and
   * their results as texts.
   *
   * @return whether what it says takes the place of the thread's
   */
  private boolean tellsCallsInWords() {
    AtomSequence compared = thread();
    int turn = compared.asked();
    int known = callTo == 0 ? call.overlap(thread(), turn) : callTo;
    int place = callTo == 0 ? turn : threadTo;
    Pairs paired = pairs();
    while (known > 0
        && paired.of(known - 1) >= turn
        && !paired.isSame(known - 1)
        && saysMore(known - 1, paired.of(known - 1))) {
      place = paired.of(--known);
    }
    if (known == 0 || place < turn || !compared.hasCallFrom(place) || !call.hasWordsFrom(known)) {
      return false;
    }
    threadTo = place == compared.length() ? place : compared.firstOf(place);
    callTo = known;
    while (callTo > 0 && paired.of(callTo - 1) >= threadTo) {
      callTo = call.firstOf(callTo - 1);
    }
    pairs = null;
    return true;
  }

  /** Whether an answer has more words than the thread's, and not the same ones with less marks. */
  private boolean saysMore(int at, int place) {
    return incoming.get(call.message(at)).words().letters()
        > stored.get(thread().message(place)).words().letters();
  }

  /**
   * Finds the longest suffix of the thread's unanswered user messages that is a prefix of the call;
   * or all that both begin with, if the call lacks answers there that broke off.
   */
  private void findUnanswered() {
    int end = thread().asked();
    callTo = lacksAnswers ? sameFrom(0) : 0;
    threadTo = callTo;
    if (callTo == 0 && (lacksAnswers || end == thread().length() || leavesCalls(end))) {
      callTo = call.overlap(thread(), end);
      threadTo = callTo == 0 ? 0 : end;
    }
  }

  /**
   * Whether the call begins with all that the user has said in the thread, goes on with more of it
   * or with other calls, and has nothing of the only answer, whose calls nobody answered: its
   * client keeps none of them.
   */
  private boolean leavesCalls(int end) {
    return end > 0
        && call.length() > end
        && (call.atom(end).isCall() || !call.hasWitness(call.length()))
        && thread().hasCallFrom(end)
        && call.overlap(thread(), end) == end;
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
    Pairs paired = pairs();
    int[] positions = new int[incoming.size()];
    Arrays.fill(positions, -1);
    for (int i = 0; i < callTo; i++) {
      if (paired.of(i) >= 0) {
        positions[call.message(i)] = thread().message(paired.of(i));
      }
    }
    for (int message = 1; message < positions.length; message++) {
      positions[message] = Math.max(positions[message], positions[message - 1]);
    }
    return positions;
  }

  /**
   * What of the thread the call has.
   *
   * @param alignment what {@link #align} returned
   */
  public Alignment.Known known(Alignment alignment) {
    return pairs().known(callTo, alignment.storedTo());
  }

  /**
   * What the call says otherwise than the thread among the messages that are known.
   *
   * @param alignment what {@link #align} returned
   * @param chosen whether a call under an id of the thread's may be that of another choice
   */
  public OwnWords ownWords(Alignment alignment, boolean chosen) {
    int known = alignment.newFrom();
    if (instead > 0) {
      return new OwnWords(0, instead, Map.of(), Set.of());
    }
    Pairs paired = pairs();
    int[] firsts = new int[known];
    int[] places = new int[known];
    boolean[] same = new boolean[known];
    Arrays.fill(firsts, -1);
    Arrays.fill(places, -1);
    Arrays.fill(same, true);
    for (int i = 0; i < callTo && call.message(i) < known; i++) {
      int message = call.message(i);
      places[message] = paired.of(i) < 0 ? places[message] : thread().message(paired.of(i));
      firsts[message] = firsts[message] < 0 ? places[message] : firsts[message];
      same[message] &= paired.isSame(i) && !(chosen && given.get(message) != incoming.get(message));
    }
    return OwnWords.of(incoming, stored, firsts, places, same, alignment.storedTo());
  }

  private Pairs pairs() {
    Pairs made = pairs;
    if (made == null) {
      made = new Pairs(call, thread(), codes.size(), callTo, threadTo);
      pairs = made;
    }
    return made;
  }

  private boolean isNoMereTail() {
    return pairs().isNoMereTail(callTo, threadTo);
  }

  /**
   * Whether the call leaves what follows in the thread: it goes on with other words of the user
   * than the thread does, or without the answer that the thread has there. If so, the known part
   * ends where the message with that begins, for that is left as a whole.
   */
  private boolean startsBranch() {
    boolean ends = callTo == call.length();
    if (callTo == 0 || !(ends ? isAskedAgain() : isFollowedByWords())) {
      return false;
    }
    AtomSequence compared = thread();
    boolean lacksAnswer = !call.kind(callTo - 1).ofModel();
    int next = threadTo;
    if (!ends) {
      next = lacksAnswer ? compared.behindResults(next) : compared.behindTools(next);
    }
    if (next == compared.length()
        || (!ends && !(compared.kind(next) == Atom.Kind.USER ? isLeft(next) : lacksAnswer))) {
      return false;
    }
    int before = next - compared.firstOf(next);
    for (int i = 1; i <= before; i++) {
      if (callTo < i || pairs().of(callTo - i) != next - i) {
        return false;
      }
    }
    if (!isNoMereTail()) {
      return false;
    }
    callTo -= before;
    threadTo = next - before;
    return true;
  }

  private Alignment newBranch(int newFrom) {
    int storedTo = threadTo == 0 ? 0 : thread().message(threadTo - 1) + 1;
    Alignment.Branch branch = new Alignment.Branch(newFrom, List.of(), List.of(), false);
    return new Alignment(newFrom, knownParts(newFrom), storedTo, branch);
  }

  /** The branch that the call goes on with, if that is one that was left before; else null. */
  private @Nullable Alignment oldBranch() {
    BranchWalk walk = new BranchWalk(incoming, stored, left);
    int to = walk.to();
    int from = walk.from();
    int known = callTo == 0 ? -1 : call.message(callTo - 1);
    boolean isNearer = known >= 0 && (to > known + 1 || (walk.isNext() && pairs().hasGap()));
    boolean isBranch =
        walk.isFound()
            && to > known
            && (walk.hasAnswer() || (callTo > 0 && from > 0 && isNoMereTail()))
            && walk.same() + (isNearer ? 1 : 0) > pairs().echoes()
            && (!walk.isMadeAnew()
                || walk.same() > new BranchWalk(incoming, stored, List.of()).same());
    if (!isBranch) {
      return null;
    }
    callTo = call.before(from);
    threadTo = callTo == 0 ? 0 : thread().before(walk.storedTo());
    pairs = null;
    instead = walk.instead();
    Alignment.Branch branch =
        new Alignment.Branch(to, walk.revived(), walk.staying(), walk.lacksThoughts());
    return new Alignment(from, 0, walk.storedTo(), branch);
  }

  private int knownParts(int newFrom) {
    int known = 0;
    for (int at = callTo - 1; at >= 0 && call.message(at) == newFrom; at--) {
      known++;
    }
    // The same of one that ends what callers without a history send.
    return known == 0 || known < incoming.get(newFrom).size() ? known : 0;
  }
}
