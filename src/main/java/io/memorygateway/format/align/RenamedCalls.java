package io.memorygateway.format.align;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The calls of tools that a client echoes under ids of its own, because it cleans or renews them.
 * They are told by their name, their arguments and their place, the last ones first: behind the
 * same words of the user or, where these are altered, directly before the calls that are told
 * already, or at the thread's end, where they have no results yet.
 */
public final class RenamedCalls {
  /** The most calls without results that ids are compared with. */
  private static final int MAX_OPEN = 128;

  private RenamedCalls() {}

  /**
   * A call.
   *
   * @param said its name and arguments
   * @param question the user's words that it follows
   */
  private record Call(String id, String said, String question) {
    String place() {
      return said + "\n" + question;
    }
  }

  /** Calls in their order. */
  private static final class Calls {
    private final List<Call> calls = new ArrayList<>();

    /**
     * By a call, the number of its row: calls between which nothing stands but words of the model.
     */
    private final List<Integer> rows = new ArrayList<>();

    /** The number of rows behind the first one. */
    private int lastRow;

    Set<String> ids() {
      Set<String> ids = new HashSet<>();
      calls.forEach(call -> ids.add(call.id));
      return ids;
    }
  }

  /**
   * Ids in the client's list of which the thread has others: the thread's id by the client's.
   *
   * @param live messages of the thread
   * @param left those that its conversation has left
   */
  public static Map<String, String> of(
      List<NormalForm> incoming, List<NormalForm> live, List<Left> left) {
    if (incoming.stream().flatMap(form -> form.atoms().stream()).noneMatch(RenamedCalls::isCall)) {
      return ofResults(incoming, live);
    }
    List<NormalForm> stored = Left.among(live, left);
    Calls ofThread = new Calls();
    String question = collect(stored, "", ofThread);
    Calls ofCall = new Calls();
    collect(incoming, question, ofCall);
    Set<String> idsOfThread = ofThread.ids();
    if (idsOfThread.containsAll(ofCall.ids())) {
      return Map.of();
    }
    Places places = new Places(ofThread, free(ofThread, ofCall));
    Map<String, Integer> last = new HashMap<>();
    for (int at = 0; at < ofThread.calls.size(); at++) {
      last.put(ofThread.calls.get(at).id, at);
    }
    Map<String, String> renamed = new HashMap<>();
    // Of several calls without an id, nothing would tell whose a result is.
    long nameless = ofThread.calls.stream().filter(call -> call.id.isEmpty()).count();
    for (int at = ofCall.calls.size() - 1; at >= 0; at--) {
      Call call = ofCall.calls.get(at);
      if (call.id.isEmpty() || idsOfThread.contains(call.id)) {
        places.next = last.getOrDefault(call.id, -1);
        continue;
      }
      int place = places.take(call);
      if (place >= 0) {
        String id = ofThread.calls.get(place).id;
        if (!id.isEmpty() || nameless == 1) {
          renamed.putIfAbsent(call.id, id);
        }
      }
    }
    return renamed;
  }

  /**
   * The same of results that come without their calls: of the thread's last calls, those that lack
   * one and whose ids have the same letters and digits, or hold them; or the one that does.
   */
  private static Map<String, String> ofResults(List<NormalForm> incoming, List<NormalForm> stored) {
    Set<String> given = new LinkedHashSet<>();
    for (NormalForm message : incoming) {
      for (Atom atom : message.atoms()) {
        if (atom.kind().ofModel()) {
          return Map.of();
        }
        given.addAll(atom.kind() == Atom.Kind.RESULT ? List.of(atom.pairId()) : List.of());
      }
    }
    if (given.isEmpty()) {
      return Map.of();
    }
    Set<String> known = new HashSet<>();
    List<String> open = new ArrayList<>();
    for (NormalForm message : stored) {
      for (Atom atom : message.atoms()) {
        if (atom.kind() == Atom.Kind.USER || atom.kind() == Atom.Kind.ANSWER) {
          open.clear();
          continue;
        }
        known.add(atom.pairId());
        if (isCall(atom)) {
          open.add(atom.id());
        } else if (atom.kind() == Atom.Kind.RESULT) {
          open.remove(atom.pairId());
        }
      }
    }
    open.removeAll(given);
    List<String> others = given.stream().filter(id -> !known.contains(id)).toList();
    if (given.contains("") || others.isEmpty() || open.size() > MAX_OPEN) {
      return Map.of();
    }
    return others.size() == 1 && open.size() == 1
        ? Map.of(others.get(0), open.get(0))
        : alike(others, open);
  }

  private static Map<String, String> alike(List<String> others, List<String> open) {
    Map<String, String> renamed = new HashMap<>();
    if (others.size() <= open.size()) {
      for (String id : others) {
        List<String> same = alike(id, open);
        if (same.size() == 1 && alike(same.get(0), others).size() == 1) {
          renamed.put(id, same.get(0));
        }
      }
    }
    return renamed;
  }

  /** The ids that are the same without their marks; if there are none, that hold it or are held. */
  private static List<String> alike(String id, List<String> ids) {
    String cleaned = cleaned(id);
    List<String> known = ids.stream().filter(other -> !cleaned(other).isEmpty()).toList();
    List<String> same = known.stream().filter(other -> cleaned(other).equals(cleaned)).toList();
    if (cleaned.isEmpty() || !same.isEmpty()) {
      return same;
    }
    return known.stream()
        .filter(other -> cleaned(other).contains(cleaned) || cleaned.contains(cleaned(other)))
        .toList();
  }

  private static String cleaned(String id) {
    StringBuilder cleaned = new StringBuilder();
    id.codePoints().filter(Character::isLetterOrDigit).forEach(cleaned::appendCodePoint);
    return cleaned.toString();
  }

  /** The places of the thread's calls that the client may have under other ids. */
  private static final class Places {
    private final Calls thread;
    private final Map<String, ArrayDeque<Integer>> bySaid = new HashMap<>();
    private final boolean[] taken;
    private int row = Integer.MAX_VALUE;

    /** The index of the thread's call that the client's next one is; -1 if it is none. */
    private int next;

    Places(Calls thread, List<Integer> free) {
      this.thread = thread;
      this.taken = new boolean[thread.calls.size()];
      boolean isOpen =
          !thread.rows.isEmpty() && thread.rows.get(thread.rows.size() - 1) == thread.lastRow;
      this.next = isOpen ? thread.calls.size() : -1;
      for (int at : free) {
        Call call = thread.calls.get(at);
        for (String key : List.of(call.said, call.place())) {
          bySaid.computeIfAbsent(key, same -> new ArrayDeque<>()).addLast(at);
        }
      }
    }

    /** Takes the place of a call; -1 if it has none. */
    int take(Call call) {
      int place = last(call.place());
      int before = last(call.said);
      if (place < 0 && before >= 0 && next >= 0) {
        int ofCall = thread.rows.get(before);
        boolean follows = next > 0 && ofCall == thread.rows.get(next - 1);
        place = follows || ofCall == row ? before : -1;
      }
      if (place >= 0) {
        taken[place] = true;
        next = thread.rows.get(place) == row ? Math.min(place, next) : place;
        row = thread.rows.get(place);
      } else {
        next = -1;
      }
      return place;
    }

    /** The last free place, up to the row of the client's next call; -1 if there is none. */
    private int last(String said) {
      ArrayDeque<Integer> same = bySaid.getOrDefault(said, new ArrayDeque<>());
      while (!same.isEmpty() && (taken[same.getLast()] || thread.rows.get(same.getLast()) > row)) {
        same.removeLast();
      }
      return same.isEmpty() ? -1 : same.getLast();
    }
  }

  /**
   * The indexes of the thread's calls that the client may have under other ids: a model may give
   * one id to several, of which a client keeps it for the first.
   */
  private static List<Integer> free(Calls ofThread, Calls ofCall) {
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
    return free.stream()
        .filter(
            at ->
                ofThread.calls.get(at).id.isEmpty() || !altered.contains(ofThread.calls.get(at).id))
        .toList();
  }

  private static boolean isCall(Atom atom) {
    return atom.kind() == Atom.Kind.CALL && (!atom.id().isEmpty() || atom.isNameless());
  }

  /** Adds the calls of a list; returns the user's last words. */
  private static String collect(List<NormalForm> messages, String before, Calls calls) {
    String question = before;
    // Of calls, by their ids: what follows their results is of the same window.
    Map<String, String> questions = new HashMap<>();
    int row = 0;
    for (NormalForm message : messages) {
      for (Atom atom : message.atoms()) {
        if (atom.kind() == Atom.Kind.USER) {
          question = atom.exact();
        }
        String id = atom.pairId();
        if (atom.kind() == Atom.Kind.CALL && !id.isEmpty()) {
          questions.put(id, question);
        } else {
          question = questions.getOrDefault(id, question);
        }
        if (isCall(atom)) {
          calls.calls.add(new Call(atom.id(), atom.said(), question));
          calls.rows.add(row);
        } else {
          row += atom.kind().ofModel() ? 0 : 1;
        }
      }
    }
    calls.lastRow = row;
    return question;
  }
}
