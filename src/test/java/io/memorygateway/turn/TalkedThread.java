package io.memorygateway.turn;

import io.memorygateway.auth.Caller;
import io.memorygateway.format.align.Atom;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.memory.rows.LastCall;
import io.memorygateway.memory.write.TurnWrite;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.RecallScope;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A thread as the database has it: what turns store, supersede and complete. */
final class TalkedThread {
  private static final ContextConfig WIDE =
      new ContextConfig(100_000_000, 40_000, 0, RecallScope.THREAD, false, ZoneOffset.UTC);

  private static final Caller CALLER = new Caller(1, 1, "p", "p", "msk_t", Map.of());

  /** A message, its seq being its place. */
  record Row(StoredMessage message, Instant createdAt, boolean incomplete, boolean superseded) {
    private Row marked(boolean left) {
      return new Row(message, createdAt, incomplete, left);
    }

    private Row completed() {
      return new Row(message, createdAt, false, superseded);
    }
  }

  private final List<Row> rows = new ArrayList<>();
  private long clock;

  List<StoredMessage> all() {
    return rows.stream().map(Row::message).toList();
  }

  List<StoredMessage> live() {
    return rows.stream().filter(row -> !row.superseded).map(Row::message).toList();
  }

  ThreadTail tail() {
    List<TailEntry.Text> texts = new ArrayList<>();
    for (int seq = 0; seq < rows.size(); seq++) {
      Row row = rows.get(seq);
      StoredMessage message = row.message;
      TailRow read =
          new TailRow(
              seq,
              message.role(),
              message.type(),
              row.createdAt,
              row.incomplete,
              row.superseded,
              1,
              message.content().length(),
              message.content());
      texts.add(new TailEntry.Text(read, message.content(), true));
    }
    return ThreadTail.read(WIDE, ContextNotes.NONE, 0, texts);
  }

  /**
   * What is known of a call.
   *
   * @param again whether the thread ends with the answer to the same one
   */
  CallFacts facts(boolean again) {
    LastCall last = new LastCall(again ? "call" : "other", false, 0, rows.size(), false, null);
    ThreadTails.Loaded thread =
        new ThreadTails.Loaded(new TailHead(1, "r", 1, null, last), tail(), -1);
    return new CallFacts(
        CALLER,
        "t",
        new MemoryRequest("t", "r", null, false, "/", Duration.ZERO, true, null, false, false),
        new CallIdentity(null, "call"),
        thread,
        thread.tail(),
        Instant.EPOCH);
  }

  /** Stores a turn, as {@code TurnStore} and {@code Messages} do. */
  void store(
      Amendment amendment, List<StoredMessage> asked, List<StoredMessage> answer, boolean whole) {
    int first = rows.size();
    if (asked.isEmpty() && answer.isEmpty() && (!whole || amendment.interrupted().isEmpty())) {
      return;
    }
    Set<Integer> left = new TreeSet<>();
    if (amendment.question() != null) {
      int at = amendment.question().intValue() + 1;
      while (at < first && (rows.get(at).superseded || isOfModel(rows.get(at)))) {
        left.add(at++);
      }
    }
    TurnWrite.Branch branch = amendment.branch();
    if (branch != null) {
      for (int at = (int) branch.after() + 1; at < first; at++) {
        left.add(at);
      }
      left.removeIf(at -> branch.staying().contains((long) at));
    }
    left.removeIf(at -> rows.get(at).superseded);
    left.forEach(at -> rows.set(at, rows.get(at).marked(true)));
    if (branch != null) {
      branch
          .revived()
          .forEach(at -> rows.set(at.intValue(), rows.get(at.intValue()).marked(false)));
    }
    if (whole) {
      amendment
          .interrupted()
          .forEach(at -> rows.set(at.intValue(), rows.get(at.intValue()).completed()));
    }
    add(asked, whole);
    add(answer, whole);
  }

  private void add(List<StoredMessage> messages, boolean whole) {
    Instant now = Instant.ofEpochSecond(clock++);
    messages.forEach(message -> rows.add(new Row(message, now, !whole, false)));
  }

  private static boolean isOfModel(Row row) {
    return row.message.role().equals("assistant");
  }

  @Override
  public String toString() {
    StringBuilder lines = new StringBuilder();
    for (Row row : rows) {
      lines
          .append(row.superseded ? "  - " : "    ")
          .append(row.incomplete ? "… " : "  ")
          .append(NormalForm.of(row.message).atoms().stream().map(Atom::exact).toList())
          .append('\n');
    }
    return lines.toString();
  }
}
