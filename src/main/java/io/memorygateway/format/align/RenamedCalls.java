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

  /**
   * Calls in their order.
   *
   * @param rows by a call, the number of its row: calls between which nothing stands but words of
   *     the model
   */
  private record Calls(List<Call> calls, List<Integer> rows) {
    Calls() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    Set<String> ids() {
      Set<String> ids = new HashSet<>();
      calls.forEach(call -> ids.add(call.id));
      return ids;
    }
  }

  /** Ids in the client's list of which the thread has others: the thread's id by the client's. */
  public static Map<String, String> of(List<NormalForm> incoming, List<NormalForm> stored) {
    if (incoming.stream().flatMap(form -> form.atoms().stream()).noneMatch(RenamedCalls::isCall)) {
      return Map.of();
    }
    Calls ofThread = new Calls();
    String question = collect(stored, "", ofThread);
    Calls ofCall = new Calls();
    collect(incoming, question, ofCall);
    Set<String> idsOfThread = ofThread.ids();
    if (idsOfThread.containsAll(ofCall.ids())) {
      return Map.of();
    }
    Map<String, ArrayDeque<Integer>> places = places(ofThread, ofCall);
    Map<String, String> renamed = new HashMap<>();
    // Of several calls without an id, nothing would tell whose a result is.
    long nameless = ofThread.calls.stream().filter(call -> call.id.isEmpty()).count();
    int row = Integer.MAX_VALUE;
    for (int at = ofCall.calls.size() - 1; at >= 0; at--) {
      Call call = ofCall.calls.get(at);
      ArrayDeque<Integer> same =
          call.id.isEmpty() || idsOfThread.contains(call.id)
              ? new ArrayDeque<>()
              : places.getOrDefault(call.said, new ArrayDeque<>());
      while (!same.isEmpty() && ofThread.rows.get(same.getLast()) > row) {
        same.removeLast();
      }
      if (!same.isEmpty()) {
        int place = same.removeLast();
        row = ofThread.rows.get(place);
        String id = ofThread.calls.get(place).id;
        if (!id.isEmpty() || nameless == 1) {
          renamed.putIfAbsent(call.id, id);
        }
      }
    }
    return renamed;
  }

  /**
   * By what they say, the indexes of the thread's calls that the client may have under other ids: a
   * model may give one id to several, of which a client keeps it for the first.
   */
  private static Map<String, ArrayDeque<Integer>> places(Calls ofThread, Calls ofCall) {
    Map<Call, Integer> kept = new HashMap<>();
    ofCall.calls.forEach(call -> kept.merge(call, 1, Integer::sum));
    List<Integer> free = new ArrayList<>();
    for (int at = 0; at < ofThread.calls.size(); at++) {
      Integer more = kept.computeIfPresent(ofThread.calls.get(at), (call, number) -> number - 1);
      if (more == null || more < 0) {
        free.add(at);
      }
    }
    Set<String> altered = new HashSet<>();
    kept.forEach((call, number) -> altered.add(number > 0 ? call.id : ""));
    Map<String, ArrayDeque<Integer>> places = new HashMap<>();
    for (int at : free) {
      Call call = ofThread.calls.get(at);
      if (call.id.isEmpty() || !altered.contains(call.id)) {
        places.computeIfAbsent(call.said, said -> new ArrayDeque<>()).addLast(at);
      }
    }
    return places;
  }

  private static boolean isCall(Atom atom) {
    return atom.kind() == Atom.Kind.CALL && (!atom.id().isEmpty() || atom.isNameless());
  }

  /** Adds the calls of a list; returns the user's last words. */
  private static String collect(List<NormalForm> messages, String before, Calls calls) {
    String question = before;
    int row = 0;
    for (NormalForm message : messages) {
      for (Atom atom : message.atoms()) {
        if (atom.kind() == Atom.Kind.USER) {
          question = atom.exact();
        }
        if (isCall(atom)) {
          calls.calls.add(new Call(atom.id(), atom.said() + "\n" + question));
          calls.rows.add(row);
        } else {
          row += atom.kind().ofModel() ? 0 : 1;
        }
      }
    }
    return question;
  }
}
