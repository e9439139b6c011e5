package io.memorygateway.format.align;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The answers of a thread that broke off and that a client has not kept, as many do not: nothing of
 * these is compared.
 */
final class BrokenAnswers {
  /**
   * By what the user says, or tools do, the call's answers to it beyond the thread's whole ones: a
   * question may be asked in the same words again.
   */
  private final Map<String, Integer> answers = new HashMap<>();

  /** What stands before more of it, and at the end. */
  private final Set<String> followed = new HashSet<>();

  private String last = "";

  private BrokenAnswers(List<NormalForm> call) {
    for (NormalForm message : call) {
      for (Atom atom : message.atoms()) {
        if (!message.ofModel()) {
          followed.add(last);
        }
        last = message.ofModel() ? "" : atom.exact();
      }
    }
    count(call, 1);
  }

  /** The messages of a thread, the same list if its client has kept all that broke off. */
  static List<NormalForm> asKept(List<NormalForm> thread, List<NormalForm> call) {
    return thread.stream().anyMatch(BrokenAnswers::isBroken)
        ? new BrokenAnswers(call).asKept(thread)
        : thread;
  }

  private static boolean isBroken(NormalForm message) {
    return message.isIncomplete() && message.ofModel() && !message.isSilent();
  }

  private List<NormalForm> asKept(List<NormalForm> thread) {
    List<NormalForm> kept = new ArrayList<>(thread);
    boolean isKept = true;
    int end = thread.size();
    while (end > 0 && thread.get(end - 1).ofModel()) {
      end--;
    }
    count(thread, -1);
    String asked = "";
    for (int at = 0; at < thread.size(); at++) {
      NormalForm message = thread.get(at);
      List<Atom> atoms = message.atoms();
      if (!message.ofModel() && !atoms.isEmpty()) {
        asked = atoms.get(atoms.size() - 1).exact();
      } else if (isBroken(message) && lacks(asked, at >= end)) {
        kept.set(at, message.silent());
        isKept = false;
      }
    }
    return isKept ? thread : kept;
  }

  /** Adds to the number of complete answers to each question. */
  private void count(List<NormalForm> messages, int each) {
    String asked = "";
    for (NormalForm message : messages) {
      for (Atom atom : message.atoms()) {
        if (message.ofModel() && !isBroken(message)) {
          answers.merge(asked, each, Integer::sum);
        }
        asked = message.ofModel() ? "" : atom.exact();
      }
    }
  }

  /** Whether the client has no answer to a question; at its own end, one may be wanted anew. */
  private boolean lacks(String asked, boolean isLast) {
    return !asked.isEmpty()
        && answers.getOrDefault(asked, 0) <= 0
        && (followed.contains(asked) || (isLast && last.equals(asked)));
  }
}
