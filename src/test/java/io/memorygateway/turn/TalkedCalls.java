package io.memorygateway.turn;

import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.align.Atom;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.content.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls of a client, what goes up with each, and what its thread then has. */
final class TalkedCalls {
  /** How the client's summaries begin. */
  static final String SUMMARY = "This session is being continued from a previous conversation.";

  private static final MemoryConfiguration CONFIGURATION =
      MemoryConfiguration.read(null, false, null, null, List.of(SUMMARY));

  /** The members with which results name their calls. */
  private static final List<String> IDS = List.of("tool_call_id", "tool_use_id", "call_id");

  private final TalkWire wire;
  private final @Nullable String id;
  private final TalkedThread thread = new TalkedThread();
  private String lastBody = "";

  /**
   * @param id how its client writes that a result has no id: empty if it leaves out the member;
   *     null for a client whose results have ids
   */
  TalkedCalls(TalkWire wire, @Nullable String id) {
    this.wire = wire;
    this.id = id;
  }

  /** A call as the client sends it. */
  String body(List<TalkWire.Said> sent) {
    if (id == null) {
      return wire.body(sent);
    }
    String body =
        wire.body(
            sent.stream()
                .map(each -> each.kind() == 'r' ? TalkWire.Said.result("", each.text()) : each)
                .toList());
    for (String member : IDS) {
      String named = "\"" + member + "\":";
      body = body.replace(named + "\"\",", id.isEmpty() ? "" : named + id + ",");
    }
    return body;
  }

  /** The last call that was answered. */
  String lastBody() {
    return lastBody;
  }

  /**
   * One call, and what becomes of it.
   *
   * @param said what the client's conversation says
   * @param sent what of it the call has
   * @param summed what its summary stands for
   * @param whole whether the answer does not break off
   * @return what went wrong; null if nothing did
   */
  @Nullable String call(
      List<TalkWire.Said> said,
      List<TalkWire.Said> sent,
      List<TalkWire.Said> summed,
      List<TalkWire.Said> answer,
      boolean whole) {
    String body = body(sent);
    CallFacts facts = thread.facts(body.equals(lastBody));
    CallPlan plan = CallPlan.of(CONFIGURATION, facts, wire.format(), Calls.body(body));
    String up =
        Answers.text(plan.prepared(wire.format(), Calls.model("m"), plan.context()).upstreamBody());
    List<StoredMessage> stored =
        answer.isEmpty() ? List.of() : wire.format().answer(Answers.bytes(wire.answer(answer)));
    List<StoredMessage> wentUp = Calls.read(wire.format(), up).messages();
    lastBody = answer.isEmpty() ? lastBody : body;
    thread.store(plan.amendment(), plan.stored(), stored, whole);
    List<String> goesUp =
        plan.context() == null // as the client sends it
            ? withoutBroken(Calls.read(wire.format(), body).messages(), said)
            : atoms(said, said);
    String fault = difference("what goes up", goesUp, withoutBroken(wentUp, said));
    if (fault != null || (answer.isEmpty() && !whole)) {
      return fault;
    }
    List<TalkWire.Said> now = new ArrayList<>(summed);
    said.stream().filter(each -> !each.text().startsWith(SUMMARY)).forEach(now::add);
    now.addAll(answer);
    List<String> expected = atoms(now.stream().map(TalkWire.Said::original).toList(), said);
    fault = difference("the conversation", expected, withoutBroken(thread.live(), said));
    return fault == null ? storedOtherwise(now, said) : fault;
  }

  /** What of the conversation is not stored once for each time that it is said. */
  private @Nullable String storedOtherwise(List<TalkWire.Said> now, List<TalkWire.Said> said) {
    for (TalkWire.Said each : now) {
      // A result that stands in one message with words that were left is stored again with
      // others.
      List<String> atoms = atoms(List.of(each.original()), said);
      long times =
          atomsOf(each.kind() == 'r' ? thread.live() : thread.all()).stream()
              .filter(atoms::contains)
              .count();
      long least =
          now.stream()
              .filter(
                  other ->
                      other.first().equals(each.first())
                          && other.id().equals(each.id())
                          && other.kind() == each.kind())
              .count();
      // Words that were left are stored again where their client comes back to them.
      long most = each.kind() == 'u' ? Long.MAX_VALUE : least;
      boolean isSure = !each.first().startsWith("par") && !each.first().equals("done");
      if (isSure && (times < least || times > most)) {
        return "stored " + times + " times: " + each;
      }
    }
    return null;
  }

  private static @Nullable String difference(
      String what, List<String> expected, List<String> found) {
    return expected.equals(found)
        ? null
        : what + "\n  is        " + found + "\n  should be " + expected;
  }

  private List<String> atoms(List<TalkWire.Said> of, List<TalkWire.Said> said) {
    return of.isEmpty()
        ? List.of()
        : withoutBroken(Calls.read(wire.format(), wire.body(of)).messages(), said);
  }

  /** What broke off may go up though its client has not kept it, and calls get results. */
  private static List<String> withoutBroken(
      List<StoredMessage> messages, List<TalkWire.Said> said) {
    return atomsOf(messages).stream()
        .filter(
            atom -> !atom.startsWith("answer par") || said.toString().contains(atom.substring(7)))
        .filter(atom -> !atom.startsWith("result ") || atom.contains(" res"))
        .toList();
  }

  private static List<String> atomsOf(List<StoredMessage> messages) {
    return messages.stream()
        .flatMap(message -> NormalForm.of(message).atoms().stream())
        .map(Atom::exact)
        .toList();
  }

  @Override
  public String toString() {
    return thread.toString();
  }
}
