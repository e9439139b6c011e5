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
  /** What begins an answer, and what the user said or tools did before it. */
  private record Answer(String asked, Atom said) {}

  /** What the call has. */
  private final Set<Answer> told = new HashSet<>();

  /**
   * By what the user says, or tools do, the call's other answers to it than the thread's whole
   * ones, less those of the thread's that the call lacks, which may be these, altered: a question
   * may be asked in the same words again.
   */
  private final Map<String, Integer> answers = new HashMap<>();

  /** What has something behind it, and what stands at the end. */
  private final Set<String> followed = new HashSet<>();

  private String last = "";

  private BrokenAnswers(List<NormalForm> call, List<NormalForm> thread, List<Left> left) {
    for (NormalForm message : call) {
      for (Atom atom : message.atoms()) {
        followed.add(last);
        last = message.ofModel() ? "" : atom.exact();
      }
    }
    told.addAll(answersIn(call));
    Set<Answer> whole = answersIn(thread);
    whole.addAll(answersIn(Left.among(thread, left)));
    count(call, whole, 1);
    count(thread, told, -1);
  }

  /** The messages of a thread, the same list if its client has kept all that broke off. */
  static List<NormalForm> asKept(List<NormalForm> thread, List<NormalForm> call, List<Left> left) {
    return thread.stream().anyMatch(BrokenAnswers::isBroken)
        ? new BrokenAnswers(call, thread, left).asKept(thread)
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
    String asked = "";
    for (int at = 0; at < thread.size(); at++) {
      NormalForm message = thread.get(at);
      List<Atom> atoms = message.atoms();
      if (!message.ofModel() && !atoms.isEmpty()) {
        asked = atoms.get(atoms.size() - 1).exact();
      } else if (isBroken(message) && lacks(asked, atoms, at >= end)) {
        kept.set(at, message.silent());
        isKept = false;
      }
    }
    return isKept ? thread : kept;
  }

  /** The whole answers among messages, of several to one question each. */
  private static Set<Answer> answersIn(List<NormalForm> messages) {
    Set<Answer> answers = new HashSet<>();
    String asked = "";
    for (NormalForm message : messages) {
      for (Atom atom : message.atoms()) {
        if (!message.ofModel()) {
          asked = atom.exact();
        } else if (!isBroken(message)) {
          answers.add(new Answer(asked, atom));
        }
      }
    }
    return answers;
  }

  /** Adds to the number of whole answers to each question those that are not among others. */
  private void count(List<NormalForm> messages, Set<Answer> others, int each) {
    String asked = "";
    for (NormalForm message : messages) {
      for (Atom atom : message.atoms()) {
        if (message.ofModel() && !isBroken(message) && !others.contains(new Answer(asked, atom))) {
          answers.merge(asked, each, Integer::sum);
        }
        asked = message.ofModel() ? "" : atom.exact();
      }
    }
  }

  /** Whether the client has no answer to a question; at its own end, one may be wanted anew. */
  private boolean lacks(String asked, List<Atom> broken, boolean isLast) {
    return !asked.isEmpty()
        && (broken.isEmpty() || !told.contains(new Answer(asked, broken.get(0))))
        && answers.getOrDefault(asked, 0) <= 0
        && (followed.contains(asked) || (isLast && last.equals(asked)));
  }
}
