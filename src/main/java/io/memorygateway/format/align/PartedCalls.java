package io.memorygateway.format.align;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Calls that the model made together and that a client gives back one by one, each with its result:
 * the results that the thread does not have go behind the last of these calls, where they are new.
 */
public final class PartedCalls {
  private final Set<String> calls = new HashSet<>();
  private final Set<String> results = new HashSet<>();
  private final List<Integer> order = new ArrayList<>();

  /** Messages with new results, and the model's messages behind them. */
  private final List<Integer> answers = new ArrayList<>();

  private final List<Integer> held = new ArrayList<>();

  private PartedCalls(List<NormalForm> stored) {
    for (NormalForm message : stored) {
      for (Atom atom : message.atoms()) {
        (atom.kind() == Atom.Kind.RESULT ? results : calls).add(atom.loose());
      }
    }
  }

  /** The order of a client's messages by their indexes; empty if it is theirs. */
  public static List<Integer> order(List<NormalForm> incoming, List<NormalForm> stored) {
    boolean answered = false;
    boolean parted = false;
    for (NormalForm message : incoming) {
      parted |= answered && message.ofModel();
      answered |= isResult(message);
    }
    return parted ? new PartedCalls(stored).ordered(incoming) : List.of();
  }

  private static boolean isResult(NormalForm message) {
    return !message.atoms().isEmpty() && message.atoms().get(0).kind() == Atom.Kind.RESULT;
  }

  private List<Integer> ordered(List<NormalForm> incoming) {
    boolean moved = false;
    for (int at = 0; at < incoming.size(); at++) {
      NormalForm message = incoming.get(at);
      if (message.ofModel()) {
        held.add(at);
        if (message.atoms().stream().anyMatch(this::isKnownCall)) {
          moved |= !answers.isEmpty();
          order.addAll(held);
          held.clear();
        }
      } else {
        boolean isNew = isResult(message) && message.atoms().stream().allMatch(this::isNew);
        if (!isNew || !held.isEmpty()) {
          flush();
        }
        (isNew ? answers : order).add(at);
      }
    }
    flush();
    return moved ? order : List.of();
  }

  private void flush() {
    order.addAll(answers);
    order.addAll(held);
    answers.clear();
    held.clear();
  }

  private boolean isKnownCall(Atom atom) {
    return atom.kind() == Atom.Kind.CALL && !atom.loose().isEmpty() && calls.contains(atom.loose());
  }

  /** Whether it is no result, or one that the thread lacks of a call that it has. */
  private boolean isNew(Atom atom) {
    return atom.kind() != Atom.Kind.RESULT
        || (!atom.ofCall().isEmpty()
            && !results.contains(atom.loose())
            && calls.contains(atom.ofCall()));
  }
}
