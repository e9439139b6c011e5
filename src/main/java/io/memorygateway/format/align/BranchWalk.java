package io.memorygateway.format.align;

import java.util.ArrayList;
import java.util.List;

/**
 * A walk along the messages of a thread from a place on, those that its conversation has left and
 * those that it has, in the order in which they were stored: the branch that a call follows is made
 * of the next that is equal, for each of its messages.
 */
final class BranchWalk {
  private final List<NormalForm> stored;
  private final List<Left> left;
  private final List<Integer> revived = new ArrayList<>();
  private final List<Integer> staying = new ArrayList<>();
  private final List<Integer> silent = new ArrayList<>();
  private int nextStored;
  private int nextLeft;
  private boolean answered;

  BranchWalk(List<NormalForm> stored, List<Left> left) {
    this.stored = stored;
    this.left = left;
  }

  /** The place of the first message that was left and is equal to this; behind all, if none is. */
  int begin(NormalForm wanted) {
    for (Left message : left) {
      if (message.form().atoms().equals(wanted.atoms())) {
        return message.behind();
      }
    }
    return stored.size();
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

  /** Goes on behind the next message that is equal; reasoning before it belongs to it. */
  private boolean find(NormalForm wanted) {
    while (nextStored < stored.size() || nextLeft < left.size()) {
      boolean isLeft =
          nextLeft < left.size()
              && (nextStored == stored.size() || left.get(nextLeft).behind() <= nextStored);
      NormalForm next = isLeft ? left.get(nextLeft).form() : stored.get(nextStored);
      int index = isLeft ? -1 - nextLeft++ : nextStored++;
      if (next.isSilent()) {
        silent.add(index);
      } else if (next.atoms().equals(wanted.atoms())) {
        silent.forEach(this::add);
        silent.clear();
        add(index);
        return true;
      } else {
        silent.clear();
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
