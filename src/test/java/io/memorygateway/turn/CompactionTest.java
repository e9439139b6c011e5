package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.dropwizard.jackson.Jackson;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Contract §7, "Compaction by the client", with the shipped marks. */
class CompactionTest {
  private static final JsonValue EMPTY = JsonValue.of("{\"role\":\"user\",\"content\":[]}");
  private static final String QUESTION = "What did we do so far?";
  private static final String WORDS = "Another language model started to solve this problem";
  private static final String PREFIX =
      WORDS
          + " and produced a summary of its thinking process. You also have access to the state of"
          + " the tools that were used by that language model. Use this to build on the work that"
          + " has already been done and avoid duplicating work. Here is the summary produced by the"
          + " other language model, use the information in this summary to assist with your own"
          + " analysis:";
  private static final String SUMMARY = PREFIX + "\\nAll went well.";

  private final MemoryConfiguration configuration;

  CompactionTest() throws IOException {
    JsonNode shipped = new ObjectMapper(new YAMLFactory()).readTree(Path.of("config.yml").toFile());
    configuration =
        Jackson.newObjectMapper().treeToValue(shipped.path("memory"), MemoryConfiguration.class);
  }

  @Test
  void aSummaryThatTheThreadDoesNotHaveStandsForIt() {
    assertThat(compaction(List.of(user(QUESTION), model("We did."), user("go on"))).isMade())
        .isTrue();
    assertThat(
            compaction(
                    List.of(
                        user("<state_snapshot>x</state_snapshot>"), model("Got it."), user("go")))
                .isMade())
        .isTrue();
  }

  @Test
  void aUserWhoAsksInItsWordsHasNotSummedUpAnything() {
    assertThat(compaction(List.of(user(QUESTION))).isMade()).isFalse();
    assertThat(compaction(List.of(user("hi"), model("hello"), user(QUESTION))).isMade()).isFalse();
    List<StoredMessage> answered = List.of(user(QUESTION), model("We did."));
    assertThat(
            compaction(List.of(user(QUESTION), model("We did."), user("go on")), answered).isMade())
        .isFalse();
  }

  @Test
  void norHasOneWhoGoesOnAskingBehindThem() {
    String more = QUESTION + " And why?";
    assertThat(compaction(List.of(user(more))).isMade()).isFalse();
    assertThat(compaction(List.of(user(more), model("So."), user("go on"))).isMade()).isFalse();
  }

  /** Agents compact between the steps of their tools, and go on with the summary alone. */
  @Test
  void aSummaryMayBeAllThatIsAsked() {
    List<StoredMessage> call = List.of(user("one"), user(SUMMARY));
    Compaction compaction = compaction(call, List.of(user("one"), model("1")));
    assertThat(compaction.isMade()).isTrue();
    assertThat(compaction.stored(call)).isEmpty();
    for (String words : List.of(WORDS, PREFIX)) {
      assertThat(compaction(List.of(user("one"), user(words))).isMade()).isFalse();
    }
  }

  /** Claude Code, too, which puts reminders before its summary. */
  @Test
  void norDoRemindersBeforeItMakeItTheUsers() {
    String reminder = "<system-reminder>\\n# gitStatus\\n</system-reminder>\\n";
    String words =
        "This session is being continued from a previous conversation that ran out of context. The"
            + " summary below covers the earlier portion of the conversation.";
    List<StoredMessage> call = List.of(parts(reminder, reminder, words + "\\n\\nSummary:\\nTwo."));
    List<StoredMessage> thread = List.of(parts(reminder, "one"), model("1"));
    Compaction compaction = compaction(call, thread);
    assertThat(compaction.isMade()).isTrue();
    assertThat(compaction.stored(call)).isEmpty();
    for (String last : List.of(words, "what is this?", reminder)) {
      assertThat(compaction(List.of(parts(reminder, last)), thread).isMade()).as(last).isFalse();
    }
  }

  @Test
  void whatAUserAsksLastIsStoredHoweverItBegins() {
    List<StoredMessage> thread = List.of(user("one"), model("1"));
    for (StoredMessage asked :
        List.of(
            user("Got it. Thanks for the additional context! Now fix the test."),
            user(WORDS + " and failed, why?"),
            user("This session is being continued from a previous conversation, is it not?"),
            parts("a picture", SUMMARY),
            model(SUMMARY))) {
      Compaction compaction = compaction(List.of(user("one"), asked), thread);
      assertThat(compaction.isMade()).as(asked.content()).isFalse();
      assertThat(compaction.stored(List.of(asked))).containsExactly(asked);
    }
    StoredMessage more = parts("Got it. Thanks for the additional context! Now fix", "this file");
    for (StoredMessage asked :
        List.of(more, model("We"), StoredMessage.ofMessage(EMPTY, Shape.CHAT))) {
      List<StoredMessage> call = List.of(user("one"), user(QUESTION), asked);
      assertThat(compaction(call, thread).stored(call)).containsExactly(asked);
    }
    StoredMessage both = parts(SUMMARY, "Got it. Thanks for the additional context! So");
    assertThat(compaction(List.of(both), thread).stored(List.of(both)))
        .containsExactly(parts("Got it. Thanks for the additional context! So"));
  }

  @Test
  void whatStandsBehindASummaryInItsMessageGoesOn() {
    StoredMessage both = parts(SUMMARY, "go on");
    assertThat(compaction(List.of(both)).isMade()).isTrue();
    assertThat(compaction(List.of(both), List.of(both)).isMade()).isFalse();
    assertThat(compaction(List.of(both)).stored(List.of(both))).containsExactly(both);
    List<StoredMessage> thread = List.of(user("one"), model("1"));
    StoredMessage again = parts(SUMMARY, "one");
    assertThat(compaction(List.of(again), thread).stored(List.of(again)))
        .as("said once more")
        .containsExactly(parts("one"));
    StoredMessage alone = parts("<system-reminder>", WORDS);
    assertThat(compaction(List.of(alone)).isMade()).isFalse();
  }

  @Test
  void aPartOfThatTypeIsASummaryWhereverItStands() {
    StoredMessage item =
        StoredMessage.of(
            "assistant", JsonValue.of("{\"type\":\"compaction\",\"encrypted_content\":\"e\"}"));
    assertThat(compaction(List.of(item, user("go on")), List.of(item)).isMade()).isTrue();
  }

  /** Codex keeps the user's words before its summary. */
  @Test
  void whatIsSummedUpIsNotStoredAgain() {
    List<StoredMessage> call = List.of(user("one"), user("lost"), user(SUMMARY), user("go on"));
    Compaction compaction = compaction(call, List.of(user("one"), model("1")));
    assertThat(compaction.stored(call)).containsExactly(user("lost"), user("go on"));
    assertThat(compaction.stored(call.subList(3, 4))).containsExactly(user("go on"));
    assertThat(compaction.stored(List.of())).isEmpty();
  }

  /** LangChain's begins where the words of the user stood that the first kept answer is to. */
  @Test
  void aSummaryMayStandBeforeAnAnswerThatIsKept() {
    StoredMessage summary = user("Here is a summary of the conversation to date:\\n\\nThey met.");
    List<StoredMessage> call = List.of(summary, model("2"), user("three"));
    List<StoredMessage> thread = List.of(user("one"), model("1"), user("two"), model("2"));
    Compaction compaction = compaction(call, thread);
    assertThat(compaction.isMade()).isTrue();
    assertThat(compaction.stored(call.subList(2, 3))).containsExactly(user("three"));
  }

  @Test
  void wordsBehindASummaryInItsMessageAreStoredWithoutIt() {
    List<StoredMessage> call = List.of(parts(SUMMARY, "go on"));
    assertThat(compaction(call, List.of(user("one"), model("1"))).stored(call))
        .containsExactly(parts("go on"));
  }

  /** Of a call that asks for a summary, what it brings of the conversation. */
  @Test
  void whatStandsBeforeAQuestionForASummaryIsKept() {
    String asking = "CRITICAL: Respond";
    assertThat(Compaction.before(List.of(user("two"), user(asking + " with")), asking))
        .containsExactly(user("two"));
    assertThat(Compaction.before(List.of(parts("two", asking), user("x")), asking))
        .containsExactly(parts("two"));
    assertThat(Compaction.before(List.of(user(asking)), asking)).isEmpty();
    StoredMessage trigger =
        StoredMessage.of("assistant", JsonValue.of("{\"type\":\"compaction_trigger\"}"));
    assertThat(Compaction.before(List.of(user("two"), trigger), "")).containsExactly(user("two"));
  }

  @Test
  void norIsTheSummaryThatIsTheAnswerToItsQuestion() {
    List<StoredMessage> call = List.of(user(QUESTION), model("We did."), user("go on"));
    assertThat(compaction(call, List.of(user("one"), model("1"))).stored(call))
        .containsExactly(user("go on"));
  }

  @Test
  void aThreadThatHasNothingKeepsTheSummary() {
    List<StoredMessage> call = List.of(user("one"), user(SUMMARY), user("go on"));
    assertThat(compaction(call).stored(call)).isEqualTo(call);
  }

  /** Anthropic's tool runner and crewAI go on with their summary alone. */
  @Test
  void aTagThatIsClosedAnnouncesASummary() {
    List<StoredMessage> thread = List.of(user("one"), model("1"));
    String goesOn = "\\n\\nContinue the task from where the conversation left off.";
    String summary = "<summary>\\nTwo.\\n</summary>";
    for (String said :
        List.of(
            summary,
            summary + goesOn,
            "<conversation_summary>2</conversation_summary>",
            "This is a summary of our conversation so far:\\nTwo.")) {
      Compaction compaction = compaction(List.of(user(said)), thread);
      assertThat(compaction.isMade()).as(said).isTrue();
      boolean inDoubt = said.endsWith(">");
      assertThat(compaction.stored(List.of(user(said))))
          .containsExactlyElementsOf(inDoubt ? List.of(user(said)) : List.of());
    }
  }

  @Test
  void aTagThatIsStoredInDoubtStaysASummaryWhereACallBeginsWithIt() {
    StoredMessage tag = user("<summary>\\nTwo.\\n</summary>");
    List<StoredMessage> thread = List.of(user("one"), model("1"), tag, model("So."));
    List<StoredMessage> asked = List.of(user("go on"));
    Compaction compaction = compaction(List.of(tag, model("So."), asked.get(0)), thread);
    assertThat(compaction.isMade()).isTrue();
    assertThat(compaction.stored(asked)).isEqualTo(asked);

    List<StoredMessage> whole = new ArrayList<>(thread);
    whole.addAll(asked);
    assertThat(compaction(whole, thread).isMade()).as("within a history").isFalse();
    assertThat(compaction(whole.subList(2, 5), thread.subList(2, 4)).isMade())
        .as("where the thread begins")
        .isFalse();
  }

  @Test
  void whoWritesOfATagSumsUpNothing() {
    List<StoredMessage> thread = List.of(user("one"), model("1"));
    for (StoredMessage asked :
        List.of(
            user("<summary> is no tag of HTML, is it?"),
            user("<summary>2</summary> Go on."),
            user("<summary>Q3: sales fell.</summary> Does that fit my budget?"),
            user("<summary> and </summary> are what tags?"),
            user("<summary>Details</summary>\\n<p>a</p> fix this html"),
            user("This is a summary of our conversation so far: I have 5 euros. What can I buy?"),
            parts("<summary>art</summary>", "What of it?"))) {
      Compaction alone = compaction(List.of(asked), thread);
      assertThat(alone.isMade()).as(asked.content()).isFalse();
      assertThat(alone.stored(List.of(asked))).containsExactly(asked);
      List<StoredMessage> call = List.of(asked, model("So."), user("go on"));
      assertThat(compaction(call, thread).isMade()).as(asked.content()).isFalse();
    }
  }

  @Test
  void norDoesAModelThatWritesOne() {
    for (String said :
        List.of(
            "<summary>x</summary>", "## Conversation Summary\\nx", "[CONTEXT_SUMMARY] is set")) {
      List<StoredMessage> call = List.of(user("one"), model(said), user("go on"));
      assertThat(compaction(call, List.of(user("one"))).isMade()).as(said).isFalse();
    }
  }

  @Test
  void whatTheThreadHasIsNoneHoweverManyPartsItIsOf() {
    StoredMessage called =
        message(
            "assistant",
            "\"<summary>x</summary>\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\","
                + "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]");
    StoredMessage seen =
        message(
            "user",
            "[{\"type\":\"text\",\"text\":\"<summary>art</summary>\"},{\"type\":\"image_url\","
                + "\"image_url\":{\"url\":\"https://example.com/a.png\"}}]");
    for (StoredMessage known : List.of(called, seen, parts("<summary>art</summary>", "x"))) {
      List<StoredMessage> call = List.of(user("one"), known, user("go on"));
      assertThat(compaction(call, call.subList(0, 2)).isMade()).as(known.content()).isFalse();
    }
  }

  /** goose's summary begins in no words of its own. */
  @Test
  void whatTheModelSaysToHaveReadIsNoMessageOfTheUsers() {
    List<StoredMessage> thread = List.of(user("one"), model("1"));
    StoredMessage read =
        model("Your context was compacted. The previous message contains a summary");
    List<StoredMessage> call = List.of(user("lost"), user("## Goal"), read, user("go on"));
    Compaction compaction = compaction(call, thread);
    assertThat(compaction.isMade()).isTrue();
    assertThat(compaction.stored(call)).containsExactly(user("lost"), user("go on"));
    assertThat(compaction.stored(call.subList(1, 4))).containsExactly(user("go on"));
    assertThat(compaction.stored(call.subList(3, 4))).containsExactly(user("go on"));
  }

  /** camel's summary is the model's, and sums up no message of the user's before it. */
  @Test
  void beforeASummaryOfTheModelsTheUsersWordsAreStored() {
    StoredMessage summary =
        model(
            "[CONTEXT_SUMMARY] The following is a summary of our conversation from a previous"
                + " session: A trip.");
    List<StoredMessage> call = List.of(user("lost"), summary, user("go on"));
    Compaction compaction = compaction(call, List.of(user("one"), model("1")));
    assertThat(compaction.isMade()).isTrue();
    assertThat(compaction.stored(call)).containsExactly(user("lost"), user("go on"));
  }

  private Compaction compaction(List<StoredMessage> call) {
    return compaction(call, List.of());
  }

  private Compaction compaction(List<StoredMessage> call, List<StoredMessage> thread) {
    return new Compaction(configuration, call, thread.stream().map(NormalForm::of).toList());
  }

  private static StoredMessage user(String text) {
    return message("user", "\"" + text + "\"");
  }

  private static StoredMessage model(String text) {
    return message("assistant", "\"" + text + "\"");
  }

  private static StoredMessage parts(String... texts) {
    return message(
        "user",
        Stream.of(texts)
            .map(text -> "{\"type\":\"text\",\"text\":\"" + text + "\"}")
            .toList()
            .toString());
  }

  private static StoredMessage message(String role, String content) {
    return StoredMessage.ofMessage(
        JsonValue.of("{\"role\":\"" + role + "\",\"content\":" + content + "}"), Shape.CHAT);
  }
}
