package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.auth.Caller;
import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.rows.LastCall;
import io.memorygateway.memory.write.TurnCall;
import io.memorygateway.memory.write.TurnWrite;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.RecallScope;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Contract §7, §8: what a call sends and stores, by the call and by what was read of its thread.
 */
class CallPlanTest {
  private static final Caller CALLER = new Caller(1, 1, "p", "p", "msk_t", Map.of());
  private static final Instant NOW = Instant.parse("2026-11-27T10:00:00Z");
  private static final Instant BEFORE = Instant.parse("2026-11-20T10:00:00Z");
  private static final Format CHAT = new ChatFormat();
  private static final ContextConfig CONFIG =
      new ContextConfig(2_000, 2_000, 2_000, RecallScope.RESOURCE, true, ZoneOffset.UTC);

  private static final MemoryConfiguration CONFIGURATION =
      MemoryConfiguration.read(null, false, null, null, List.of("Here is a summary:"));

  private static final MemoryRequest TURN =
      new MemoryRequest("t", "r", null, false, "/", Duration.ZERO, true, null, false, true);

  private static final List<StoredMessage> TALK =
      List.of(user("one"), model("first"), user("two"), model("second"));

  @Test
  void aNewThreadTakesAllThatIsSaidAndTheCallGoesUpAsItCame() {
    String body = body("system:short", "user:one", "assistant:first", "user:two");
    CallPlan plan = plan(newThread(), body);
    PreparedCall call = prepared(plan);

    assertThat(call.stored()).isEqualTo(TALK.subList(0, 3));
    assertThat(call.amendment()).isEqualTo(Amendment.NONE);
    assertThat(text(call)).isEqualTo(Calls.json(body));
    assertThat(plan.hasOld()).isFalse();
    assertThat(call.isPlain()).isFalse();
    assertThat(call.turnCall()).isEqualTo(new TurnCall("hash", false, false, 0, 3));
  }

  @Test
  void whatTheThreadHasIsNeitherStoredNorSentTwice() {
    for (String body :
        List.of(
            body("user:one", "assistant:first", "user:two", "assistant:second", "user:three"),
            body("assistant:second", "user:three"),
            body("user:three"))) {
      PreparedCall call = prepared(plan(thread(TALK), body));

      assertThat(call.stored()).containsExactly(user("three"));
      assertThat(said(call)).containsExactly("one", "first", "two", "second", "three");
    }
  }

  @Test
  void aCallThatSaysNothingNewAsksForAnotherAnswer() {
    PreparedCall call =
        prepared(plan(thread(TALK), body("user:one", "assistant:first", "user:two")));

    assertThat(call.stored()).isEmpty();
    assertThat(call.isPlain()).as("its answer is stored").isFalse();
    assertThat(call.amendment()).isEqualTo(new Amendment(2L, List.of(), null, null));
    assertThat(said(call)).containsExactly("one", "first", "two");
  }

  @Test
  void aTurnThatBrokeOffIsCompletedByTheSameCall() {
    ThreadTail tail = tail(CONFIG, TALK, -1, 2);
    PreparedCall call =
        prepared(plan(facts(tail, -1), body("user:one", "assistant:first", "user:two")));

    assertThat(call.stored()).isEmpty();
    assertThat(call.amendment()).isEqualTo(new Amendment(2L, List.of(2L), null, null));
  }

  @Test
  void anEditedQuestionLeavesWhatFollowed() {
    PreparedCall call =
        prepared(plan(thread(TALK), body("user:one", "assistant:first", "user:other")));

    assertThat(call.stored()).containsExactly(user("other"));
    assertThat(call.amendment().branch()).isEqualTo(new TurnWrite.Branch(1, List.of(), Set.of()));
    assertThat(call.amendment().known()).isEqualTo(new TurnWrite.Known(7, List.of(0L, 1L)));
    assertThat(said(call)).containsExactly("one", "first", "other");
  }

  @Test
  void whatIsObservedIsKnownAndNotSent() {
    ThreadTail tail = tail(CONFIG, TALK, 2, TALK.size());
    CallPlan plan = plan(facts(tail, 2), body("user:one", "assistant:first", "user:other"));

    assertThat(plan.stored()).containsExactly(user("other"));
    assertThat(plan.hasOld()).isTrue();
    assertThat(plan.amendment().known()).isNull();
    assertThat(plan.amendment().branch()).isEqualTo(new TurnWrite.Branch(2, List.of(), Set.of()));
    assertThat(said(prepared(plan))).doesNotContain("one", "first", "two");
  }

  @Test
  void aCallWithASummaryInPlaceOfTheThreadGoesUpAsItCame() {
    String body = body("user:Here is a summary: one and two.", "user:three");
    CallPlan plan = plan(thread(TALK), body);

    assertThat(plan.context()).isNull();
    assertThat(plan.stored()).containsExactly(user("three"));
    assertThat(text(prepared(plan))).isEqualTo(Calls.json(body));
  }

  @Test
  void theSameCallBehindASummaryAsksForAnotherAnswer() {
    String body = body("user:Here is a summary: one.", "user:two");
    LastCall same = new LastCall("hash", false, 3, 4, false, null);
    CallPlan plan = plan(facts(TURN, "hash", tail(CONFIG, TALK), -1, same), body);

    assertThat(plan.stored()).isEmpty();
    assertThat(plan.amendment()).isEqualTo(new Amendment(2L, List.of(), null, null));
  }

  @Test
  void wordsBehindASummaryGoBackToTheAnswerThatWasLeft() {
    TalkedThread thread = new TalkedThread();
    String two = body("user:Here is a summary: one.", "user:two");
    thread.store(Amendment.NONE, List.of(user("one")), List.of(model("first")), true);
    talk(thread, two, false, "second", true);
    talk(thread, two, true, "breaks o", false);
    String again = body("user:Here is a summary: one.", "user:two", "assistant:second", "user:two");
    talk(thread, again, false, "third", true);

    assertThat(thread.live())
        .containsExactly(
            user("one"), model("first"), user("two"), model("second"), user("two"), model("third"));
  }

  private static void talk(
      TalkedThread thread, String body, boolean again, String answer, boolean whole) {
    CallPlan plan = plan(thread.facts(again), body);
    thread.store(plan.amendment(), plan.stored(), List.of(model(answer)), whole);
  }

  @Test
  void aCallWhoseHistoryItsProviderHoldsGoesUpAsItCame() {
    Format responses = new ResponsesFormat();
    String body = "{'model':'m','previous_response_id':'resp_1','input':'three'}";
    CallPlan plan = CallPlan.of(CONFIGURATION, thread(TALK), responses, Calls.body(body));

    assertThat(plan.context()).isNull();
    assertThat(plan.stored()).containsExactly(user("three"));
    assertThat(Answers.text(plan.prepared(responses, Calls.model("m"), null).upstreamBody()))
        .isEqualTo(Calls.json(body));
  }

  @Test
  void aCallBesideTheConversationSeesItAndStoresNothing() {
    CallFacts facts = facts(TURN.aside("t", false, null), "hash", tail(CONFIG, TALK), -1, null);
    PreparedCall call = prepared(plan(facts, body("user:one", "assistant:first", "user:title?")));

    assertThat(call.isPlain()).isTrue();
    assertThat(call.amendment()).isEqualTo(Amendment.NONE);
    assertThat(said(call)).containsExactly("one", "first", "title?");
  }

  @Test
  void ofACallForASummaryIsStoredWhatStandsBeforeItsQuestion() {
    MemoryRequest summary = TURN.aside("t", false, "Sum up");
    CallFacts facts = facts(summary, "hash", tail(CONFIG, TALK), -1, null);
    PreparedCall asked =
        prepared(plan(facts, body("assistant:second", "user:three", "user:Sum up all.")));
    PreparedCall nothingNew = prepared(plan(facts, body("assistant:second", "user:Sum up all.")));

    assertThat(asked.stored()).containsExactly(user("three"));
    assertThat(asked.answerStored()).isFalse();
    assertThat(asked.isPlain()).isFalse();
    assertThat(nothingNew.isPlain()).isTrue();
  }

  @Test
  void aCallForASummaryThatBeginsInTheMiddleGoesUpAsItCame() {
    String body = body("user:two", "assistant:second", "user:Sum up all.");
    MemoryRequest summary = TURN.aside("t", false, "Sum up");
    CallPlan plan = plan(facts(summary, "hash", tail(CONFIG, TALK), -1, null), body);

    assertThat(plan.context()).isNull();
    assertThat(plan(thread(TALK), body).context()).isNotNull();
  }

  @Test
  void messagesThatCannotBeReadAndTooManyNewOnesAreRefused() {
    String[] many = new String[10_001];
    Arrays.fill(many, "user:x");
    String[] most = Arrays.copyOf(many, 10_000);

    assertThatThrownBy(() -> plan(newThread(), "{'model':'m'}"))
        .isInstanceOfSatisfying(ApiException.class, e -> assertRefused(e, "messages"));
    assertThatThrownBy(() -> plan(newThread(), body(many)))
        .isInstanceOfSatisfying(ApiException.class, e -> assertRefused(e, "at most 10000"));
    assertThat(plan(newThread(), body(most)).stored()).hasSize(10_000);
  }

  private static void assertRefused(ApiException refused, String words) {
    assertThat(refused.error().status()).isEqualTo(400);
    assertThat(refused).hasMessageContaining(words);
  }

  @Test
  void whoeverSaysSomethingIsToldTheDateAndNoStepOfATool() {
    String step =
        "{'model':'m','messages':[{'role':'user','content':'one'},"
            + "{'role':'assistant','content':null,'tool_calls':[{'id':'c','type':'function',"
            + "'function':{'name':'f','arguments':'{}'}}]},"
            + "{'role':'tool','tool_call_id':'c','content':'x'}]}";
    CallPlan words = plan(thread(TALK), body("user:three"));
    CallPlan tool = plan(thread(TALK.subList(0, 1)), step);

    assertThat(words.recalling().question()).isEqualTo("three");
    assertThat(text(prepared(words))).contains("[Today is Friday, 27 November 2026");
    assertThat(tool.recalling().question()).isNull();
    assertThat(text(prepared(tool))).doesNotContain("Today is");
  }

  @Test
  void whatIsRecalledGoesUpWithTheCall() {
    CallPlan plan = plan(thread(TALK), body("user:three"));
    TurnContext context = plan.context().with(new TurnContext.Recalled("It was Rex.", 1, 5));
    PreparedCall call = plan.prepared(CHAT, Calls.model("m"), context);

    assertThat(text(call)).contains("It was Rex.");
    assertThat(plan.recalling().resourceId()).isEqualTo("r");
    assertThat(
            plan(
                    facts(TURN.aside("t", true, null), "hash", tail(CONFIG, TALK), -1, null),
                    body("user:three"))
                .recalling()
                .resourceId())
        .isNull();
  }

  @Test
  void whatDoesNotFitIsLeftOut() {
    ContextConfig narrow =
        new ContextConfig(100, 100, 0, RecallScope.THREAD, false, ZoneOffset.UTC);
    List<StoredMessage> talk = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      talk.add(user("word ".repeat(20) + i));
      talk.add(model("ok"));
    }
    CallPlan plan = plan(facts(tail(narrow, talk), -1), body("user:three"));

    assertThat(prepared(plan).isCut()).isTrue();
    assertThat(plan.hasOld()).isTrue();
    assertThat(said(prepared(plan))).hasSizeLessThan(40).endsWith("three");
    assertThat(prepared(plan(thread(TALK), body("user:three"))).isCut()).isFalse();
  }

  @Test
  void theSameCallGetsTheAnswerThatTheThreadEndsWith() {
    LastCall same = new LastCall("hash", false, 3, 4, false, null);
    ThreadTail tail = tail(CONFIG, TALK);

    assertThat(facts(TURN, "hash", tail, -1, same).mayBeReplayed()).isTrue();
    assertThat(facts(TURN, "other", tail, -1, same).mayBeReplayed()).isFalse();
    assertThat(facts(TURN, "hash", tail, -1, null).mayBeReplayed()).isFalse();
    assertThat(newThread().mayBeReplayed()).isFalse();
    LastCall unanswered = new LastCall("hash", false, 4, 4, false, null);
    assertThat(facts(TURN, "hash", tail, -1, unanswered).mayBeReplayed()).isFalse();
    MemoryRequest aside = TURN.aside("t", false, "Sum up");
    assertThat(facts(aside, "hash", tail, -1, same).mayBeReplayed()).isFalse();
    assertThat(facts(TURN, keyed(), tail, -1, same).mayBeReplayed()).isFalse();
  }

  @Test
  void whoHasSeenTheEndGetsItAgainOnlyIfItSaysSo() {
    assertThat(HandedEnds.State.STORED.isReplayed(false)).isTrue();
    assertThat(HandedEnds.State.HANDED_ON.isReplayed(false)).isFalse();
    assertThat(HandedEnds.State.HANDED_ON.isReplayed(true)).isTrue();
    assertThat(HandedEnds.State.ASKED_ANEW.isReplayed(true)).isFalse();
  }

  @Test
  void attemptsAreToldByTheirKeyOrByWhatTheirCallerSays() {
    MemoryRequest again =
        new MemoryRequest("t", "r", null, true, "/", Duration.ZERO, true, null, false, true);
    LastCall last = new LastCall("hash", false, 3, 4, false, null);
    ThreadTail tail = tail(CONFIG, TALK);

    assertThat(facts(again, "hash", tail, -1, last).turnCall(2))
        .isEqualTo(new TurnCall("hash", true, false, 4, 2));
    assertThat(facts(again, keyed(), tail, -1, last).turnCall(2))
        .isEqualTo(new TurnCall("hash", false, true, 4, 2));
  }

  @Test
  void onlyAStoreThatIsDownIsPassedBy() {
    MemoryConfiguration bypass =
        MemoryConfiguration.read(
            MemoryConfiguration.OnStorageFailure.BYPASS, false, null, null, null);
    ApiException down = ApiException.unavailable("down", 1);

    assertThat(bypass.bypasses(down)).isTrue();
    assertThat(MemoryConfiguration.defaults().bypasses(down)).isFalse();
    assertThat(bypass.bypasses(new BusyException("busy"))).isFalse();
    assertThat(bypass.bypasses(new ApiException(ApiError.invalidRequest("no")))).isFalse();
  }

  private static CallPlan plan(CallFacts facts, String body) {
    return CallPlan.of(CONFIGURATION, facts, CHAT, Calls.body(body));
  }

  private static PreparedCall prepared(CallPlan plan) {
    return plan.prepared(CHAT, Calls.model("m"), plan.context());
  }

  private static String text(PreparedCall call) {
    return Answers.text(call.upstreamBody());
  }

  /** What goes up, but for the date. */
  private static List<String> said(PreparedCall call) {
    return Calls.read(CHAT, text(call)).messages().stream()
        .map(message -> message.text().strip())
        .filter(text -> !text.startsWith("[Today is"))
        .toList();
  }

  private static StoredMessage user(String text) {
    return StoredMessage.of("user", "\"" + text + "\"");
  }

  private static StoredMessage model(String text) {
    return StoredMessage.of("assistant", "\"" + text + "\"");
  }

  /** A call of messages, each of which is {@code role:text}. */
  private static String body(String... messages) {
    List<String> all = new ArrayList<>();
    for (String message : messages) {
      int colon = message.indexOf(':');
      all.add(
          "{'role':'%s','content':'%s'}"
              .formatted(message.substring(0, colon), message.substring(colon + 1)));
    }
    return "{'model':'m','messages':[" + String.join(",", all) + "]}";
  }

  private static ThreadTail tail(ContextConfig config, List<StoredMessage> messages) {
    return tail(config, messages, -1, messages.size());
  }

  /**
   * @param observed seq of the last message that is not sent any more
   * @param whole how many of the messages are of turns that did not break off
   */
  private static ThreadTail tail(
      ContextConfig config, List<StoredMessage> messages, int observed, int whole) {
    List<TailEntry.Text> texts = new ArrayList<>();
    for (int seq = 0; seq < messages.size(); seq++) {
      StoredMessage message = messages.get(seq);
      TailRow row =
          new TailRow(
              seq,
              message.role(),
              message.type(),
              BEFORE.plusSeconds(seq),
              seq >= whole,
              false,
              null,
              message.content().length(),
              message.content());
      texts.add(new TailEntry.Text(row, message.content(), seq > observed));
    }
    return ThreadTail.read(config, ContextNotes.NONE, 0, texts);
  }

  private static CallFacts newThread() {
    CallIdentity call = new CallIdentity(null, "hash");
    return new CallFacts(CALLER, "t", TURN, call, null, ThreadTail.empty(CONFIG), NOW);
  }

  private static CallFacts thread(List<StoredMessage> messages) {
    return facts(tail(CONFIG, messages), -1);
  }

  private static CallFacts facts(ThreadTail tail, long observed) {
    return facts(TURN, "hash", tail, observed, null);
  }

  private static CallFacts facts(
      MemoryRequest request, String hash, ThreadTail tail, long observed, @Nullable LastCall last) {
    return facts(request, new CallIdentity(null, hash), tail, observed, last);
  }

  private static CallIdentity keyed() {
    return new CallIdentity(
        new IdempotencyClaim(new IdempotencyClaim.Key(1, "key"), "hash"), "hash");
  }

  private static CallFacts facts(
      MemoryRequest request,
      CallIdentity call,
      ThreadTail tail,
      long observed,
      @Nullable LastCall last) {
    ThreadTails.Loaded thread =
        new ThreadTails.Loaded(new TailHead(1, "r", 7, null, last), tail, observed);
    return new CallFacts(CALLER, "t", request, call, thread, tail, NOW);
  }
}
