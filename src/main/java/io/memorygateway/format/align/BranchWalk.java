package io.memorygateway.format.align;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A walk of a call along its thread, with the messages that the conversation has left: each of the
 * call's messages is the next one that says the same, in the order in which they were stored. What
 * the thread does not have is passed over until something of the model is found again, and then
 * stands for the user's words directly before that. One message of the call may be several of the
 * thread and the other way round, as formats differ, and calls and results are passed over where
 * the call has texts alone.
 */
final class BranchWalk {
  /** The most messages that are compared with one of the call. */
  private static final int MAX_PLACES = 8;

  private final List<NormalForm> call;
  private final List<NormalForm> stored;
  private final List<NormalForm> all;

  /** By message of all, its index among those that the conversation has; of one left, -1 - it. */
  private final int[] numbers;

  /** By message of all, the index of the next one with atoms. */
  private final int[] said;

  /** By what a message begins with, the first one that is not passed; and the next such one. */
  private final Map<String, Integer> places = new HashMap<>();

  private final int[] nextPlace;
  private final List<Integer> revived = new ArrayList<>();
  private final List<Integer> staying = new ArrayList<>();

  /** What the last message that was found has behind what was looked for. */
  private List<Atom> rest = List.of();

  /** Ends of what was found last, in the call and in all. */
  private int to;

  private int end;
  private int lastStored = -1;
  private int firstLeft;
  private int from = -1;
  private int storedTo;
  private int instead;
  private int same;
  private boolean answered;

  /** Number of the branch's messages that are reasoning. */
  private int thoughts;

  BranchWalk(List<NormalForm> call, List<NormalForm> stored, List<Left> left) {
    this.call = call;
    this.stored = stored;
    this.all = Left.among(stored, left);
    this.numbers = new int[all.size()];
    this.said = new int[all.size()];
    this.nextPlace = new int[all.size()];
    int ofStored = 0;
    int ofLeft = 0;
    for (int at = 0; at < numbers.length; at++) {
      boolean isLeft = ofLeft < left.size() && left.get(ofLeft).behind() <= ofStored;
      numbers[at] = isLeft ? -1 - ofLeft++ : ofStored++;
    }
    int next = all.size();
    for (int at = all.size() - 1; at >= 0; at--) {
      said[at] = next;
      List<Atom> atoms = all.get(at).atoms();
      if (!atoms.isEmpty()) {
        Integer behind = places.put(key(atoms.get(0)), at);
        nextPlace[at] = behind == null ? all.size() : behind;
        next = at;
      }
    }
    walk();
  }

  private static String key(Atom atom) {
    return atom.ofCall().isEmpty() ? atom.exact() : atom.loose();
  }

  private static boolean begins(List<Atom> atoms, List<Atom> with) {
    return !with.isEmpty()
        && atoms.size() >= with.size()
        && IntStream.range(0, with.size()).allMatch(at -> atoms.get(at).isEchoOf(with.get(at)));
  }

  private static boolean meet(List<Atom> some, List<Atom> others) {
    return begins(some, others) || begins(others, some);
  }

  private void walk() {
    int last = call.size();
    while (last > 0 && !call.get(last - 1).ofModel()) {
      last--;
    }
    boolean apart = false;
    for (int at = 0; at < call.size(); at++) {
      NormalForm wanted = call.get(at);
      List<Atom> atoms = wanted.atoms();
      if (wanted.isSilent()) {
        continue;
      }
      if (begins(rest, atoms)) {
        rest = rest.subList(atoms.size(), rest.size());
        found(at);
        continue;
      }
      int place = atoms.isEmpty() || (apart && wanted.isOfUser()) ? -1 : place(at, at < last);
      apart = place < 0;
      if (!apart) {
        take(at, place, at < last);
      }
    }
  }

  private void found(int at) {
    to = at + 1;
    same += call.get(at).size();
    answered |= from >= 0 && call.get(at).ofModel();
  }

  /** Where a message of the call stands; -1 if nowhere. */
  private int place(int at, boolean isAnswered) {
    List<Atom> atoms = call.get(at).atoms();
    String key = key(atoms.get(0));
    int next = places.getOrDefault(key, all.size());
    while (next < end) {
      next = nextPlace[next];
    }
    places.put(key, next);
    int first = -1;
    for (int tried = 0; next < all.size() && tried < MAX_PLACES; tried++) {
      int last = last(next, atoms);
      if (last >= 0 && !isMadeAnewBehind(last, atoms)) {
        boolean isNext = next == (end == 0 ? -1 : said[end - 1]);
        boolean isWhole = all.get(last).size() <= atoms.size();
        if ((isNext && isWhole) || (isAnswered && goesOn(at, last))) {
          return next;
        }
        boolean isOwn = isAnswered || numbers[next] < 0 || !isAnsweredBehind(last);
        first = first < 0 && isOwn ? next : first;
      }
      next = nextPlace[next];
    }
    return first < 0 && isAnswered ? placeOfAltered(at) : first;
  }

  /** The place of what the client may have altered: the next one, or one where both go on. */
  private int placeOfAltered(int at) {
    int place = end == 0 ? all.size() : said[end - 1];
    for (int tried = 0; place < all.size() && tried < MAX_PLACES; tried++) {
      boolean isNear = tried == 0 || numbers[place] >= 0;
      if (mayBe(at, place) && (goesOn(at, place) || (isNear && isSaidBehind(at, place)))) {
        return place;
      }
      place = said[place];
    }
    return -1;
  }

  private boolean mayBe(int at, int place) {
    List<Atom> own = call.get(at).atoms();
    List<Atom> known = all.get(place).atoms();
    return call.get(at).ofModel()
        && own.size() == known.size()
        && IntStream.range(0, own.size()).allMatch(i -> own.get(i).mayBe(known.get(i)));
  }

  /** Whether what the call says next stands anywhere behind a place. */
  private boolean isSaidBehind(int at, int place) {
    int next = next(at);
    int found = all.size();
    if (next < call.size() && !call.get(next).atoms().isEmpty()) {
      found = places.getOrDefault(key(call.get(next).atoms().get(0)), all.size());
    }
    for (int tried = 0; found <= place && tried < MAX_PLACES; tried++) {
      found = nextPlace[found];
    }
    return found > place && found < all.size();
  }

  /** The index of the call's next message that says something. */
  private int next(int at) {
    int next = at + 1;
    while (next < call.size() && call.get(next).isSilent()) {
      next++;
    }
    return next;
  }

  /** Whether the call and the thread say the same behind a message. */
  private boolean goesOn(int at, int last) {
    int next = next(at);
    return next < call.size()
        && said[last] < all.size()
        && meet(all.get(said[last]).atoms(), call.get(next).atoms());
  }

  /** Whether it broke off, at its end or where the client cut it, and stands whole behind that. */
  private boolean isMadeAnewBehind(int last, List<Atom> atoms) {
    return all.get(last).isIncomplete()
        && isAnsweredBehind(last)
        && !all.get(said[last]).isIncomplete()
        && begins(all.get(said[last]).atoms(), atoms);
  }

  private boolean isAnsweredBehind(int last) {
    return said[last] < all.size() && all.get(said[last]).ofModel();
  }

  /**
   * The index of the last message of those that begin at a place and have what is wanted, or -1.
   */
  private int last(int place, List<Atom> wanted) {
    List<Atom> missing = wanted;
    for (int at = place; at < all.size(); at = said[at]) {
      List<Atom> own = all.get(at).atoms();
      if (begins(own, missing)) {
        boolean isFound =
            own.get(0).kind() == Atom.Kind.RESULT
                || restOf(own, missing).stream().allMatch(Atom::isOfTool);
        return isFound ? at : -1;
      }
      if (!begins(missing, own)) {
        return -1;
      }
      missing = restOf(missing, own);
    }
    return -1;
  }

  private static List<Atom> restOf(List<Atom> atoms, List<Atom> known) {
    return atoms.subList(known.size(), atoms.size());
  }

  private void take(int at, int place, boolean isAnswered) {
    List<Atom> atoms = call.get(at).atoms();
    int last = Math.max(place, last(place, atoms)); // of an altered one it is none
    List<Atom> missing = atoms;
    for (int each = place; each < last; each = said[each]) {
      missing = restOf(missing, all.get(each).atoms());
    }
    rest = restOf(all.get(last).atoms(), missing);
    int first = place;
    int saidFrom = at;
    int sameBefore = same;
    Deque<Integer> taking = new ArrayDeque<>();
    int taken = 0; // of the atoms of a message, from its end
    while (first > end && saidFrom > to) {
      NormalForm before = all.get(first - 1);
      NormalForm own = call.get(saidFrom - 1);
      boolean isSame = ends(own, taken, before) && before.isOfUser();
      if (!isSame && !before.isSilent() && !own.isSilent()) {
        break;
      }
      first -= isSame || before.isSilent() ? 1 : 0;
      taken += isSame ? before.size() : 0;
      if (taken == own.size()) {
        saidFrom--;
        same += taken;
        taken = 0;
      }
    }
    if (taken > 0) {
      same += taken;
      saidFrom--;
      takeApart(call.get(saidFrom), taken, first, taking);
    }
    int ownFrom = saidFrom;
    while (ownFrom > to && (call.get(ownFrom - 1).isOfUser() || call.get(ownFrom - 1).isSilent())) {
      ownFrom--;
    }
    boolean isText =
        isAnswered
            && same == sameBefore
            && call.get(at).ofModel()
            && atoms.stream().noneMatch(Atom::isOfTool);
    Set<String> results = new HashSet<>();
    while (first > end
        && (all.get(first - 1).isSilent()
            || (ownFrom < saidFrom && all.get(first - 1).isOfUser())
            || (isText
                && (numbers[first - 1] < 0) == (numbers[place] < 0)
                && isAnswered(all.get(first - 1).atoms(), results)))) {
      first--;
      if (all.get(first).isOfUser()) {
        isText = false;
        saidFrom = ownFrom;
      }
    }
    for (int each = first; each <= last; each++) {
      taking.addLast(each);
    }
    add(taking, at, saidFrom);
    end = last + 1;
    found(at);
  }

  /** Whether atoms are calls and results alone, and all calls have results: else they were left. */
  private static boolean isAnswered(List<Atom> atoms, Set<String> results) {
    for (Atom atom : atoms) {
      if (atom.kind() == Atom.Kind.RESULT) {
        results.add(atom.pair());
      } else if (!atom.isOfTool()
          || atom.isAudio()
          || (atom.isCall() && !results.contains(atom.pair()))) {
        return false;
      }
    }
    return true;
  }

  /** Finds the messages before an index, answered or not, that one joins with what is taken. */
  private void takeApart(NormalForm joined, int taken, int before, Deque<Integer> found) {
    int behind = taken;
    for (int place = before - 1; place >= end && behind < joined.size(); place--) {
      NormalForm message = all.get(place);
      if (message.size() > 0 && !message.ofModel() && ends(joined, behind, message)) {
        found.addFirst(place);
        behind += message.size();
      }
    }
  }

  /** Whether a message ends, before those of its atoms that are taken, with another one's. */
  private static boolean ends(NormalForm message, int taken, NormalForm other) {
    int to = message.size() - taken;
    return to >= other.size()
        && message.atoms().subList(to - other.size(), to).equals(other.atoms());
  }

  private void add(Deque<Integer> taking, int at, int saidFrom) {
    int before = lastStored;
    boolean begins = false;
    for (int each : taking) {
      begins |= from < 0 && (numbers[each] < 0 || leavesAnswers(before, numbers[each]));
      before = Math.max(before, numbers[each]);
    }
    if (begins) {
      begin(taking.getFirst(), at, saidFrom);
    }
    for (int each : taking) {
      int number = numbers[each];
      if (number < 0) {
        firstLeft = revived.isEmpty() ? each : firstLeft;
        revived.add(-1 - number);
      } else if (from >= 0) {
        staying.add(number);
      } else {
        lastStored = number;
      }
      thoughts += from >= 0 && all.get(each).isSilent() ? 1 : 0;
    }
  }

  /** Whether the conversation has answers behind what was found, before another message. */
  private boolean leavesAnswers(int before, int number) {
    return before >= 0
        && stored.subList(before + 1, number).stream()
            .flatMap(message -> message.atoms().stream())
            .anyMatch(atom -> atom.kind() == Atom.Kind.ANSWER);
  }

  private void begin(int first, int at, int saidFrom) {
    boolean begun = end > 0;
    boolean isHead =
        !begun && saidFrom > 0 && saidFrom <= OwnWords.MAX_HEAD && call.get(0).isOfUser();
    from = begun ? to : isHead ? 0 : saidFrom;
    int next = from;
    while (next < at && call.get(next).isSilent()) {
      next++;
    }
    from = call.get(next).ofModel() ? from : next;
    storedTo = lastStored + 1;
    if (lastStored < 0) {
      storedTo = (int) Arrays.stream(numbers, 0, first).filter(number -> number >= 0).count();
    }
    instead = isHead ? storedTo : 0;
  }

  /** Whether the call goes on with a branch that was left. */
  boolean isFound() {
    return !revived.isEmpty();
  }

  /** Whether the conversation has the same in the place of what was left first of the branch. */
  boolean isMadeAnew() {
    int first = all.get(firstLeft).atoms().isEmpty() ? said[firstLeft] : firstLeft;
    int next = first;
    while (next < all.size() && numbers[next] < 0) {
      next = said[next];
    }
    return next < all.size() && all.get(next).atoms().equals(all.get(first).atoms());
  }

  /** The index of the first message of the branch. */
  int from() {
    return from;
  }

  /** The index behind the last message that the branch has. */
  int to() {
    return to;
  }

  /** Number of the stored messages that the branch follows. */
  int storedTo() {
    return storedTo;
  }

  /** Number of the first of these in whose place the call says something else. */
  int instead() {
    return instead;
  }

  /** Number of the call's atoms that were found. */
  int same() {
    return same;
  }

  /** Indexes of those of the branch that were left. */
  List<Integer> revived() {
    return revived;
  }

  /** Indexes of those of the branch that the conversation has. */
  List<Integer> staying() {
    return staying;
  }

  /** Whether the call has left out reasoning of the branch. */
  boolean lacksThoughts() {
    return call.subList(from, to).stream().filter(NormalForm::isSilent).count() < thoughts;
  }

  /** Whether something of the model is in the branch. */
  boolean hasAnswer() {
    return answered;
  }
}
