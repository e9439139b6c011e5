package io.memorygateway.format.align;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Results that do not say whose they are: they are of the last calls before them, in their order,
 * but for calls that another result names (contract §7).
 */
public final class NamelessResults {
  private final List<NormalForm> thread;
  private final Map<Integer, List<String>> ids = new HashMap<>();

  /** The ids of the last calls, which the model made together. */
  private final List<String> calls = new ArrayList<>();

  /** Ids that results name, of the thread's behind these calls, and then of the others. */
  private final Set<String> known = new HashSet<>();

  private final Set<String> named = new HashSet<>();

  /** By result without an id behind these calls, the index of its message; negative in a thread. */
  private final List<Integer> nameless = new ArrayList<>();

  private NamelessResults(List<NormalForm> thread) {
    this.thread = thread;
  }

  /**
   * The ids of their calls by the index of their message, in their order, as far as they are known.
   *
   * @param thread which has the calls, if no message is the model's
   */
  public static Map<Integer, List<String>> ids(List<NormalForm> messages, List<NormalForm> thread) {
    if (messages.stream().flatMap(each -> each.atoms().stream()).noneMatch(Atom::isOfNoCall)) {
      return Map.of();
    }
    boolean told = messages.stream().anyMatch(NormalForm::ofModel);
    NamelessResults found = new NamelessResults(told ? List.of() : thread);
    found.read(messages);
    return found.ids;
  }

  private void read(List<NormalForm> messages) {
    boolean goesOn = false;
    for (int at = -thread.size(); at < messages.size(); at++) {
      NormalForm message = at < 0 ? thread.get(thread.size() + at) : messages.get(at);
      if (message.ofModel() && message.atoms().stream().anyMatch(Atom::isCall)) {
        if (!goesOn) {
          close();
        }
        goesOn = true;
      }
      goesOn &= message.ofModel();
      for (Atom atom : message.atoms()) {
        if (atom.isCall()) {
          calls.add(atom.id());
        } else if (atom.isOfNoCall()) {
          nameless.add(at);
        } else if (atom.kind() == Atom.Kind.RESULT) {
          (at < 0 ? known : named).add(atom.pairId());
        }
      }
    }
    close();
    ids.values().removeIf(each -> each.stream().allMatch(String::isEmpty));
  }

  /** Tells whose the results behind the last calls are. */
  private void close() {
    Deque<String> open = new ArrayDeque<>(calls);
    open.removeAll(named);
    Deque<String> all = new ArrayDeque<>(open);
    open.removeAll(known);
    nameless.stream().filter(at -> at < 0).forEach(at -> open.poll());
    nameless.removeIf(at -> at < 0);
    // Else the thread has some of them already.
    Deque<String> answered = nameless.size() <= open.size() ? open : all;
    for (int at : nameless) {
      String id = answered.poll();
      if (id != null) {
        // Empty keeps the place of a call without an id.
        ids.computeIfAbsent(at, first -> new ArrayList<>()).add(id);
      }
    }
    List.of(calls, nameless).forEach(List::clear);
    List.of(known, named).forEach(Set::clear);
  }
}
