package io.memorygateway.format.align;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The pairs of atoms of a call and a thread that are known to be the same or altered, made from the
 * end of the known part backwards: neighbours first, then the model's atoms wherever they are, and
 * then neighbours that were altered. Linear, which the search for the best of all chains would not
 * be.
 */
final class Pairs {
  private final AtomSequence call;
  private final AtomSequence thread;

  /** By an index of the call, the index of the thread that it is paired with, or -1. */
  private final int[] paired;

  /**
   * @param codes number of distinct codes in both lines
   * @param callTo atoms of the call that are known
   * @param threadTo atoms of the thread up to the same place
   */
  Pairs(AtomSequence call, AtomSequence thread, int codes, int callTo, int threadTo) {
    this.call = call;
    this.thread = thread;
    AtomSequence.Occurrences occurrences = thread.occurrences(codes);
    paired = new int[call.length()];
    Arrays.fill(paired, -1);
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
        paired[i] = pair;
        next = pair;
      }
    }
  }

  private boolean isSame(int ofCall, int ofThread) {
    return ofCall >= 0 && ofThread >= 0 && call.exact(ofCall) == thread.exact(ofThread);
  }

  private boolean isAltered(int ofCall, int ofThread) {
    return ofThread >= 0 && call.loose(ofCall) == thread.loose(ofThread);
  }

  /** The index of the thread that one of the call is paired with; -1 if it is with none. */
  int of(int at) {
    return paired[at];
  }

  /** Whether the thread has an atom of the call as it is. */
  boolean isSame(int at) {
    return isSame(at, paired[at]);
  }

  /** Whether it has it so, or another result of the same call. */
  boolean isEcho(int at) {
    return paired[at] >= 0 && call.atom(at).isEchoOf(thread.atom(paired[at]));
  }

  /** Number of atoms of the call that the thread has so. */
  int echoes() {
    return (int) IntStream.range(0, paired.length).filter(this::isEcho).count();
  }

  /** Whether the thread has something between neighbours of the call. */
  boolean hasGap() {
    return IntStream.range(1, paired.length)
        .anyMatch(at -> paired[at - 1] >= 0 && paired[at] > paired[at - 1] + 1);
  }

  /**
   * The thread's messages from the first to the last one that the call has.
   *
   * @param callTo atoms of the call that are known
   * @param storedTo number of messages to look at
   */
  Alignment.Known known(int callTo, int storedTo) {
    int first = storedTo;
    int last = 0;
    boolean cut = callTo > 0 && paired[0] >= 0 && thread.message(paired[0]) > 0;
    for (int at = 0; at < callTo; at++) {
      int message = paired[at] < 0 ? storedTo : thread.message(paired[at]);
      if (message < storedTo) {
        first = Math.min(first, message);
        last = message + 1;
      }
    }
    return new Alignment.Known(Math.min(first, last), last, cut);
  }

  /**
   * Whether the known part has the user's words and the answer to them directly before its end, or
   * begins where the thread does: other callers keep the end of what they know. Before what is
   * paired, the call may lack what is of tools, and have other words of the user.
   */
  boolean isNoMereTail(int callTo, int threadTo) {
    boolean answered = false;
    int end = threadTo;
    Set<Integer> words = new HashSet<>();
    for (int at = callTo - 1; at >= -1; at--) {
      int pair = at < 0 ? -1 : paired[at];
      if (pair < 0 && at >= 0) {
        if (call.kind(at) == Atom.Kind.USER) {
          words.add(call.exact(at));
        }
        continue;
      }
      boolean said = false;
      boolean same = false;
      for (int i = pair + 1; i < end; i++) {
        if (thread.kind(i) == Atom.Kind.ANSWER) {
          return false;
        }
        said |= thread.kind(i) == Atom.Kind.USER;
        same |= words.contains(thread.exact(i));
      }
      if (same && answered) {
        return true;
      }
      if (said ? !same && words.isEmpty() : !words.isEmpty()) {
        return false;
      }
      if (at >= 0) {
        boolean isUser = call.kind(at) == Atom.Kind.USER;
        if (isUser && answered) {
          return true;
        }
        answered |= !isUser;
        end = pair;
        words.clear();
      }
    }
    return true;
  }
}
