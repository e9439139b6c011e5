package io.memorygateway.format.align;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The calls of tools that a client echoes under ids of its own, because it cleans or renews them.
 * They are told by their place, behind the same words of the user, their name and their arguments,
 * the last ones first.
 */
public final class RenamedCalls {
  private RenamedCalls() {}

  /**
   * A call.
   *
   * @param said its name and arguments, and the user's words that it follows
   */
  private record Call(String id, String said) {}

  /** Ids in the client's list of which the thread has others: the thread's id by the client's. */
  public static Map<String, String> of(List<NormalForm> incoming, List<NormalForm> stored) {
    if (incoming.stream().flatMap(form -> form.atoms().stream()).noneMatch(RenamedCalls::isCall)) {
      return Map.of();
    }
    List<Call> ofThread = new ArrayList<>();
    String question = calls(stored, "", ofThread);
    List<Call> ofCall = new ArrayList<>();
    calls(incoming, question, ofCall);
    Set<String> idsOfThread = ids(ofThread);
    if (idsOfThread.containsAll(ids(ofCall))) {
      return Map.of();
    }
    Set<String> idsOfCall = ids(ofCall);
    Map<String, ArrayDeque<Integer>> places = new HashMap<>();
    for (int at = 0; at < ofThread.size(); at++) {
      Call call = ofThread.get(at);
      if (!idsOfCall.contains(call.id)) {
        places.computeIfAbsent(call.said, said -> new ArrayDeque<>()).addLast(at);
      }
    }
    Map<String, String> renamed = new HashMap<>();
    // Of several calls without an id, nothing would tell whose a result is.
    long nameless = ofThread.stream().filter(call -> call.id.isEmpty()).count();
    int before = ofThread.size();
    for (int at = ofCall.size() - 1; at >= 0; at--) {
      Call call = ofCall.get(at);
      ArrayDeque<Integer> same =
          call.id.isEmpty() || idsOfThread.contains(call.id)
              ? new ArrayDeque<>()
              : places.getOrDefault(call.said, new ArrayDeque<>());
      while (!same.isEmpty() && same.getLast() >= before) {
        same.removeLast();
      }
      if (!same.isEmpty()) {
        before = same.removeLast();
        String id = ofThread.get(before).id;
        if (!id.isEmpty() || nameless == 1) {
          renamed.putIfAbsent(call.id, id);
        }
      }
    }
    return renamed;
  }

  private static boolean isCall(Atom atom) {
    return atom.kind() == Atom.Kind.CALL && (!atom.id().isEmpty() || atom.isNameless());
  }

  /** Adds the calls of a list; returns the user's last words. */
  private static String calls(List<NormalForm> messages, String before, List<Call> calls) {
    String question = before;
    for (NormalForm message : messages) {
      for (Atom atom : message.atoms()) {
        if (atom.kind() == Atom.Kind.USER) {
          question = atom.exact();
        } else if (isCall(atom)) {
          calls.add(new Call(atom.id(), atom.said() + "\n" + question));
        }
      }
    }
    return question;
  }

  private static Set<String> ids(List<Call> calls) {
    Set<String> ids = new HashSet<>();
    calls.forEach(call -> ids.add(call.id));
    return ids;
  }
}
