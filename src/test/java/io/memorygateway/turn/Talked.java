package io.memorygateway.turn;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A client that does with its conversation what clients do. */
final class Talked {
  private static final int STEPS = 9;

  private static final String SUMMARY = TalkedCalls.SUMMARY;

  /** The ways of clients that do not say whose a result is. */
  private static final List<String> NO_IDS = List.of("", "null", "\"\"", "");

  private final TalkWire wire;
  private final int seed;
  private final Random random;
  private final TalkedCalls calls;
  private final StringBuilder log = new StringBuilder();

  /** What the client's conversation says. */
  private List<TalkWire.Said> said = new ArrayList<>();

  /** What a summary stands for, in the thread's words. */
  private List<TalkWire.Said> summed = new ArrayList<>();

  private record Branch(List<TalkWire.Said> said, List<TalkWire.Said> summed) {}

  private final List<Branch> branches = new ArrayList<>();
  private final boolean onlyNew;
  private final boolean keepsBroken;
  private final boolean restores;
  private final Map<String, Integer> asked = new HashMap<>();
  private int number;

  /** What the client's conversation was in the last call, and its answer. */
  private List<TalkWire.Said> told = List.of();

  private @Nullable String fault;

  Talked(TalkWire wire, int seed) {
    this.wire = wire;
    this.seed = seed;
    boolean named = wire == TalkWire.FOURTH || seed % 3 < 2;
    this.calls = new TalkedCalls(wire, named ? null : NO_IDS.get(seed % NO_IDS.size()));
    this.random = new Random(seed * 31L);
    this.onlyNew = random.nextInt(8) == 0;
    this.keepsBroken = random.nextBoolean();
    this.restores = random.nextBoolean();
  }

  /** Returns what went wrong; null if nothing did. */
  @Nullable String run() {
    ask(words());
    for (int step = 0; step < STEPS && fault == null; step++) {
      step();
    }
    return fault;
  }

  private String words() {
    return "qst" + number++;
  }

  private void note(String act) {
    log.append(act).append('\n');
  }

  private void step() {
    if (onlyNew) {
      boolean again =
          random.nextInt(4) == 0
              && !said.get(said.size() - 1).text().startsWith("par")
              && last('u') < said.size() - 1;
      ask(again ? "continue" : words());
      return;
    }
    List<Integer> questions = places('u');
    int question = questions.isEmpty() ? -1 : questions.get(random.nextInt(questions.size()));
    switch (random.nextInt(14)) {
      case 0, 1, 2 -> ask(words());
      case 3 -> {
        ask("continue");
        if (fault == null) {
          ask("continue");
        }
      }
      case 4 -> {
        int last = last('u');
        boolean same =
            last > 0
                && said.get(0).text().startsWith(SUMMARY)
                && calls.body(said.subList(0, last + 1)).equals(calls.lastBody());
        if (isTold(last) || same) {
          note("regenerates");
          regenerate(last + 1);
        }
      }
      case 5 -> {
        int last = last('r');
        if (last >= 0) {
          note("goes back to behind its tools");
          regenerate(last + 1);
        }
      }
      case 6 -> {
        if (isTold(question)) {
          note("edits question " + question);
          leave();
          cut(question);
          ask(words());
        }
      }
      case 7 -> {
        if (isTold(question)) {
          note("asks question " + question + " again");
          regenerate(question + 1);
        }
      }
      case 8 -> {
        List<Integer> results = places('r');
        if (!results.isEmpty()) {
          int place = results.get(random.nextInt(results.size()));
          while (place + 1 < said.size() && said.get(place + 1).kind() == 'r') {
            place++;
          }
          note("asks behind its tools at " + place);
          leave();
          cut(place + 1);
          ask(words());
        }
      }
      case 9 -> {
        if (isTold(question)) {
          note("deletes what is behind " + question);
          leave();
          cut(question);
          if (random.nextBoolean()) {
            ask(words());
          }
        }
      }
      case 10 -> compact();
      case 11 -> alter();
      case 12 -> {
        if (!branches.isEmpty()) {
          note("goes back to a branch");
          Branch branch = branches.get(random.nextInt(branches.size()));
          leave();
          said = new ArrayList<>(branch.said);
          summed = branch.summed;
          ask(words());
        }
      }
      default -> {
        boolean isAltered = said.stream().anyMatch(each -> !each.equals(each.original()));
        if (last('u') >= 0 && !isAltered) { // Else answers tell no places apart.
          note("asks the same");
          ask(said.get(last('u')).text());
        }
      }
    }
  }

  /** The indexes of the messages of a kind; a summary is no question. */
  private List<Integer> places(char kind) {
    List<Integer> places = new ArrayList<>();
    for (int at = 0; at < said.size(); at++) {
      if (said.get(at).kind() == kind && !said.get(at).text().startsWith(SUMMARY)) {
        places.add(at);
      }
    }
    return places;
  }

  /** Whether the conversation before an index is one that only the thread's client has. */
  private boolean isTold(int to) {
    return to > 0
        && said.subList(0, to).stream()
            .anyMatch(each -> each.ofModel() && !each.text().startsWith("par"));
  }

  private int last(char kind) {
    List<Integer> places = places(kind);
    return places.isEmpty() ? -1 : places.get(places.size() - 1);
  }

  private void leave() {
    if (!isQuestionOfSummary()) {
      branches.add(new Branch(List.copyOf(said), summed));
    }
  }

  /** Nothing tells whether what stands behind a summary alone is the thread's. */
  private boolean isQuestionOfSummary() {
    return said.get(0).text().startsWith(SUMMARY) && !isTold(said.size());
  }

  private void cut(int from) {
    said.subList(from, said.size()).clear();
  }

  private void ask(String words) {
    asked.merge(words, 1, Integer::sum);
    said.add(TalkWire.Said.user(words));
    loop();
  }

  /** Asks for another answer in the place of what the client has from there on. */
  private void regenerate(int from) {
    List<TalkWire.Said> before = List.copyOf(said);
    leave();
    cut(from);
    boolean empty = !loop();
    if (empty && (restores || isQuestionOfSummary())) {
      note("keeps what it had");
      said = new ArrayList<>(before);
    }
  }

  /**
   * Calls until an answer without calls comes, or is cancelled.
   *
   * @return whether anything was said
   */
  private boolean loop() {
    boolean answered = false;
    for (int step = 0; step < 3; step++) {
      int ends = random.nextInt(10);
      List<TalkWire.Said> answer = answer(step == 2);
      if (ends == 0) {
        call(List.of(), false);
        return answered;
      }
      if (ends == 1) {
        TalkWire.Said part = TalkWire.Said.answer("par" + number++);
        call(List.of(part), false);
        if (keepsBroken || onlyNew) {
          said.add(part);
        }
        return keepsBroken || onlyNew || answered;
      }
      call(answer, true);
      if (fault != null) {
        return true;
      }
      answered = true;
      said.addAll(answer);
      List<TalkWire.Said> results = new ArrayList<>();
      for (TalkWire.Said part : answer) {
        if (part.kind() == 'c') {
          results.add(TalkWire.Said.result(part.id(), "res" + number++ % 3));
        }
      }
      said.addAll(results);
      if (results.isEmpty()) {
        return true;
      }
      if (!onlyNew && random.nextInt(8) == 0) {
        note("asks beside the results");
        String words = words();
        asked.put(words, 1);
        said.add(TalkWire.Said.user(words));
      }
    }
    return true;
  }

  private List<TalkWire.Said> answer(boolean last) {
    int kind = random.nextInt(8);
    List<TalkWire.Said> answer = new ArrayList<>();
    if (last || kind < 4) {
      answer.add(
          TalkWire.Said.answer(
              random.nextInt(6) == 0 && isOnce(said.size()) ? "done" : "ans" + number++));
      if (wire == TalkWire.RESPONSES && kind == 0) {
        answer.add(TalkWire.Said.answer("ans" + number++));
      }
      return answer;
    }
    if (kind < 6) {
      answer.add(TalkWire.Said.answer("ans" + number++));
    }
    answer.add(TalkWire.Said.call("call" + number++));
    if (kind == 7) {
      answer.add(TalkWire.Said.call("call" + number++));
    }
    return answer;
  }

  /** Whether the question before a place is asked once: else answers tell the places apart. */
  private boolean isOnce(int place) {
    int at = place - 1;
    while (at > 0 && said.get(at).kind() != 'u') {
      at--;
    }
    return asked.getOrDefault(said.get(at).text(), 1) == 1;
  }

  private void compact() {
    List<Integer> questions = places('u');
    if (questions.size() < 2 || !told.equals(said)) {
      return; // What no call has left yet is summed up, for all that the gateway knows.
    }
    int kept = random.nextBoolean() ? said.size() : questions.get(questions.size() - 1);
    TalkWire.Said end = said.get(said.size() - 1);
    if (end.kind() != 'a' || end.text().startsWith("par")) {
      return; // Of a question behind a summary alone nothing tells whether it is the thread's.
    }
    note("compacts up to " + kept);
    List<TalkWire.Said> before = new ArrayList<>(summed);
    for (TalkWire.Said each : said.subList(0, kept)) {
      if (!each.text().startsWith(SUMMARY)) {
        before.add(each);
      }
    }
    List<TalkWire.Said> rest = new ArrayList<>(said.subList(kept, said.size()));
    said = new ArrayList<>();
    said.add(TalkWire.Said.user(SUMMARY + " and so on " + number++));
    said.addAll(rest);
    summed = before;
    branches.clear();
    if (random.nextBoolean()) {
      ask(words());
    }
  }

  /** Another choice, or words of its client's. */
  private void alter() {
    List<Integer> answers = places('a');
    if (answers.isEmpty()) {
      return;
    }
    int at = answers.get(random.nextInt(answers.size()));
    if (said.get(at).text().equals("done")
        || said.get(at).first().startsWith("par")
        || !isOnce(at)) {
      return;
    }
    note("alters the answer at " + at);
    said.set(at, said.get(at).altered("own" + number++));
    ask(words());
  }

  private void call(List<TalkWire.Said> answer, boolean whole) {
    if (fault != null) {
      return;
    }
    List<TalkWire.Said> sent = onlyNew ? said.subList(newFrom(), said.size()) : said;
    note((whole ? "  " : "  … ") + sent + " -> " + answer);
    String found = calls.call(said, sent, summed, answer, whole);
    told = Stream.concat(said.stream(), answer.stream()).toList();
    if (found != null) {
      String kind = onlyNew ? " only new" : "";
      fault = wire + " seed " + seed + kind + ": " + found + "\n" + log + calls;
    }
  }

  private int newFrom() {
    int from = said.size();
    while (from > 0 && (said.get(from - 1).kind() == 'u' || said.get(from - 1).kind() == 'r')) {
      from--;
    }
    return from;
  }
}
