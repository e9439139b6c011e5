package io.memorygateway.format.align;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A walk along the messages of a thread from a place on, those that its conversation has left and
 * those that it has, in the order in which they were stored: the branch that a call follows is made
 * of the next that say the same, for each of its messages. One message of the call may be several
 * of the thread and the other way round, as formats differ, and calls and results are passed over
 * where the call has texts alone.
 */
final class BranchWalk {
  private final List<NormalForm> stored;
  private final List<Left> left;
  private final List<Integer> revived = new ArrayList<>();
  private final List<Integer> staying = new ArrayList<>();

  /** Indexes of messages that belong to the branch if the next one does. */
  private final List<Integer> between = new ArrayList<>();

  /** What the last message that was found has behind what was looked for. */
  private List<Atom> rest = List.of();

  private int nextStored;
  private int nextLeft;
  private boolean answered;

  BranchWalk(List<NormalForm> stored, List<Left> left) {
    this.stored = stored;
    this.left = left;
  }

  /** The place of the first message that was left and says the same; behind all, if none does. */
  int begin(NormalForm wanted) {
    for (Left message : left) {
      if (meet(message.form().atoms(), wanted.atoms())) {
        return message.behind();
      }
    }
    return stored.size();
  }

  private static boolean meet(List<Atom> some, List<Atom> others) {
    return begins(some, others) || begins(others, some);
  }

  private static boolean begins(List<Atom> atoms, List<Atom> with) {
    return !with.isEmpty()
        && atoms.size() >= with.size()
        && IntStream.range(0, with.size()).allMatch(at -> atoms.get(at).isEchoOf(with.get(at)));
  }

  /**
   * Follows a call from one of its messages on.
   *
   * @param behind number of the stored messages that the branch follows
   * @return the index of the first message that the branch does not have; {@code from} if it does
   *     not begin with a message that was left
   */
  int follow(List<NormalForm> call, int from, int behind) {
    nextStored = behind;
    while (nextLeft < left.size() && left.get(nextLeft).behind() < behind) {
      nextLeft++;
    }
    int to = from;
    for (int at = from; at < call.size(); at++) {
      NormalForm wanted = call.get(at);
      if (wanted.isSilent()) {
        continue;
      }
      if (wanted.atoms().isEmpty() || !find(wanted) || revived.isEmpty()) {
        return to;
      }
      answered |= wanted.ofModel();
      to = at + 1;
    }
    return to;
  }

  /** Goes on behind the next messages that say the same; reasoning before them belongs to them. */
  private boolean find(NormalForm wanted) {
    List<Atom> atoms = wanted.atoms();
    if (begins(rest, atoms)) {
      rest = rest.subList(atoms.size(), rest.size());
      return true;
    }
    boolean isText = atoms.stream().noneMatch(Atom::isOfTool);
    List<Atom> missing = atoms;
    while (nextStored < stored.size() || nextLeft < left.size()) {
      boolean isLeft =
          nextLeft < left.size()
              && (nextStored == stored.size() || left.get(nextLeft).behind() <= nextStored);
      NormalForm next = isLeft ? left.get(nextLeft).form() : stored.get(nextStored);
      between.add(isLeft ? -1 - nextLeft++ : nextStored++);
      List<Atom> own = next.atoms();
      if (own.stream().allMatch(atom -> isText && atom.isOfTool())) {
        continue;
      }
      if (!meet(own, missing)) {
        between.subList(0, between.size() - 1).clear();
        missing = atoms;
      }
      if (begins(own, missing) && own.stream().skip(missing.size()).allMatch(Atom::isOfTool)) {
        rest = own.subList(missing.size(), own.size());
        between.forEach(this::add);
        between.clear();
        return true;
      }
      if (begins(missing, own)) {
        missing = missing.subList(own.size(), missing.size());
      } else {
        between.clear();
        missing = atoms;
      }
    }
    return false;
  }

  private void add(int index) {
    if (index < 0) {
      revived.add(-1 - index);
    } else {
      staying.add(index);
    }
  }

  /** Indexes of those of the branch that were left. */
  List<Integer> revived() {
    return revived;
  }

  /** Indexes of those of the branch that the conversation has. */
  List<Integer> staying() {
    return staying;
  }

  /** Whether something of the model is in the branch. */
  boolean hasAnswer() {
    return answered;
  }
}
