package io.memorygateway.format.align;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntUnaryOperator;
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
  private final List<NormalForm> call;
  private final List<NormalForm> stored;
  private final StoredLine line;
  private final List<Integer> revived = new ArrayList<>();
  private final List<Integer> staying = new ArrayList<>();

  /** What the last message that was found has behind what was looked for. */
  private List<Atom> rest = List.of();

  /** Ends of what was found last, in the call and in all. */
  private int to;

  private int end;
  private int asked; // what was looked for last that is not the model's
  private int lastStored = -1;
  private int firstLeft;

  /** Whether that is directly behind what was found before it. */
  private boolean isNext;

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
    this.line = new StoredLine(stored, left);
    walk();
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
      if (StoredLine.begins(rest, atoms)) {
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
    int place = line.first(atoms.get(0), end);
    int first = -1;
    for (int tried = 0; place < line.size() && tried < StoredLine.MAX_PLACES; tried++) {
      List<Integer> run = line.run(place, atoms);
      if (!run.isEmpty()) {
        int last = run.get(run.size() - 1);
        boolean goesOn = isAnswered && goesOn(at, last);
        boolean isWhole = isSaid(at, line.get(last), line.rest(run, atoms));
        if ((isWhole || goesOn) && !isMadeAnewBehind(last, atoms)) {
          boolean isNext = place == (end == 0 ? -1 : line.next(end - 1));
          if (goesOn || (isNext && line.get(last).size() <= atoms.size())) {
            return place;
          }
          boolean isOwn = isAnswered || line.isLeft(place) || !line.isAnsweredBehind(last);
          first = first < 0 && isOwn ? place : first;
        }
      }
      place = line.nextSame(place);
    }
    return first < 0 && isAnswered ? placeOfAltered(at) : first;
  }

  /** Whether the call has what the thread says behind one of its messages, or leaves tools out. */
  private boolean isSaid(int at, NormalForm last, List<Atom> rest) {
    int next = next(at);
    return last.atoms().size() - rest.size() >= last.beforeTools()
        || (next < call.size() && StoredLine.meet(call.get(next).atoms(), rest));
  }

  /**
   * The place of what the client may have altered: of the answers to the same words, one where both
   * go on, else the conversation's, else the next one; then likewise of others.
   */
  private int placeOfAltered(int at) {
    int living = end == 0 ? line.size() : line.nextLiving(end - 1);
    int found = living;
    int best = living < line.size() ? fit(at, living) : 0;
    int near = 1;
    int place = end == 0 ? line.size() : line.next(end - 1);
    for (int tried = 0; place < line.size() && tried < StoredLine.MAX_PLACES; tried++) {
      boolean isAsked =
          line.get(place).atoms().stream().anyMatch(atom -> atom.kind() == Atom.Kind.USER);
      near = isAsked ? 4 : near;
      int fit = fit(at, place) - near;
      found = fit > best ? place : found;
      best = Math.max(best, fit);
      place = line.next(place);
    }
    int next = end == 0 ? line.size() : line.next(end - 1);
    boolean isBehindLeft = end > 0 && line.isLeft(end - 1);
    boolean livesElsewhere =
        isBehindLeft ? line.isSaidAgain(end - 1) : living < line.size() && mayBe(at, living);
    boolean endsBranch =
        next < line.size() && line.isLeft(next) && mayBe(at, next) && !livesElsewhere;
    return best > 0 ? found : endsBranch ? next : -1;
  }

  /** How well a place fits a message that may be altered; 0 if it does not. */
  private int fit(int at, int place) {
    if (!mayBe(at, place)) {
      return 0;
    }
    return goesOn(at, place) ? 6 : !isSaidBehind(at, place) ? 0 : line.isLeft(place) ? 4 : 5;
  }

  private boolean mayBe(int at, int place) {
    List<Atom> own = call.get(at).atoms();
    List<Atom> known = line.get(place).atoms();
    return call.get(at).ofModel()
        && own.size() == known.size()
        && IntStream.range(0, own.size()).allMatch(i -> own.get(i).mayBe(known.get(i)));
  }

  /** Whether what the call has next that is not the model's stands anywhere behind a place. */
  private boolean isSaidBehind(int at, int place) {
    asked = Math.max(next(at), asked);
    while (asked < call.size() && call.get(asked).ofModel()) {
      asked++;
    }
    return asked < call.size()
        && !call.get(asked).atoms().isEmpty()
        && line.isSaidBehind(place, call.get(asked).atoms().get(0));
  }

  /** The index of the call's next message that says something. */
  private int next(int at) {
    int next = at + 1;
    while (next < call.size() && call.get(next).isSilent()) {
      next++;
    }
    return next;
  }

  /**
   * Whether the call and the thread, or its conversation, say the same behind a message, be it
   * behind altered ones.
   */
  private boolean goesOn(int at, int place) {
    return goesOn(at, place, line::next) || goesOn(at, place, line::nextLiving);
  }

  private boolean goesOn(int at, int place, IntUnaryOperator behind) {
    int next = next(at);
    int other = behind.applyAsInt(place);
    for (int tried = 0; tried < StoredLine.MAX_PLACES; tried++) {
      if (next >= call.size() || other >= line.size()) {
        return false;
      }
      if (StoredLine.meet(line.get(other).atoms(), call.get(next).atoms())) {
        return true;
      }
      if (!mayBe(next, other)) {
        return false;
      }
      next = next(next);
      other = behind.applyAsInt(other);
    }
    return false;
  }

  /** Whether it broke off, at its end or where the client cut it, and stands whole behind that. */
  private boolean isMadeAnewBehind(int last, List<Atom> atoms) {
    return line.get(last).isIncomplete()
        && line.isAnsweredBehind(last)
        && !line.get(line.next(last)).isIncomplete()
        && StoredLine.begins(line.get(line.next(last)).atoms(), atoms);
  }

  private void take(int at, int place, boolean isAnswered) {
    List<Atom> atoms = call.get(at).atoms();
    List<Integer> run = line.run(place, atoms);
    if (run.isEmpty()) {
      run = List.of(place); // of an altered one
      rest = List.of();
    } else {
      rest = line.rest(run, atoms);
    }
    int last = run.get(run.size() - 1);
    int first = place;
    int saidFrom = at;
    int sameBefore = same;
    Deque<Integer> taking = new ArrayDeque<>();
    int taken = 0; // of the atoms of a message, from its end
    while (first > end && saidFrom > to) {
      NormalForm before = line.get(first - 1);
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
    int own = first;
    while (own > end && line.get(own - 1).isSilent()) {
      own--;
    }
    while (first > end
        && (line.get(first - 1).isSilent()
            || (ownFrom < saidFrom && line.get(first - 1).isOfUser())
            || (isText
                && line.isLeft(first - 1) == line.isLeft(place)
                && isAnswered(line.get(first - 1).atoms(), results)))) {
      first--;
      if (line.get(first).isOfUser()) {
        isText = false;
        saidFrom = ownFrom;
      }
    }
    boolean isOfOther =
        isText
            && first > end
            && line.get(first - 1).atoms().stream()
                .anyMatch(atom -> atom.kind() == Atom.Kind.ANSWER);
    first = isOfOther ? own : first; // Tools of another answer.
    boolean isTaken = true;
    int part = 0;
    for (int each = first; each <= last; each++) {
      boolean isPart = run.get(part) == each;
      part += isPart ? 1 : 0;
      isTaken = each < place || isPart || (isTaken && line.get(each).isSilent());
      if (isTaken) {
        taking.addLast(each);
      }
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
      NormalForm message = line.get(place);
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
      begins |= from < 0 && (line.number(each) < 0 || leavesAnswers(before, line.number(each)));
      before = Math.max(before, line.number(each));
    }
    if (begins) {
      begin(taking.getFirst(), at, saidFrom);
    }
    for (int each : taking) {
      int number = line.number(each);
      if (number < 0) {
        isNext = revived.isEmpty() ? end == 0 || each <= line.next(end - 1) : isNext;
        firstLeft = revived.isEmpty() ? each : firstLeft;
        revived.add(-1 - number);
      } else if (from >= 0) {
        staying.add(number);
      } else {
        lastStored = number;
      }
      thoughts += from >= 0 && line.get(each).isSilent() ? 1 : 0;
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
      storedTo = line.livingBefore(first);
    }
    instead = isHead ? storedTo : 0;
  }

  /** Whether the call goes on with a branch that was left. */
  boolean isFound() {
    return !revived.isEmpty();
  }

  /** Whether what was left first of the branch is directly behind what was found before it. */
  boolean isNext() {
    return isNext;
  }

  /** Whether the conversation has the same in the place of what was left first of the branch. */
  boolean isMadeAnew() {
    int first = line.get(firstLeft).atoms().isEmpty() ? line.next(firstLeft) : firstLeft;
    int next = first;
    while (next < line.size() && line.isLeft(next)) {
      next = line.next(next);
    }
    return next < line.size() && line.get(next).atoms().equals(line.get(first).atoms());
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
