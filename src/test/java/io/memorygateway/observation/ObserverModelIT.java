package io.memorygateway.observation;

import static io.memorygateway.observation.ObserverRig.call;
import static io.memorygateway.observation.ObserverRig.result;
import static io.memorygateway.observation.ObserverRig.user;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.observation.text.ModelClient;
import io.memorygateway.observation.text.ModelFailureException;
import io.memorygateway.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §8: a model observes, and whatever it does, threads are observed. */
class ObserverModelIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int MESSAGE_TOKENS = 400;
  private static final int OBSERVATION_TOKENS = 700;

  @Test
  void aGoodModelMakesTheLogAndTheRecordSaysSo() {
    FakeModel model = new FakeModel((call, request) -> null);
    ObserverRig rig = rig(model);
    long thread = rig.createThread("good");
    talk(rig, "good", thread, 100);
    ThreadView view = rig.view(thread);
    assertThat(view.log()).contains("model heard: I want to visit");
    assertThat(view.state().currentTask()).isEqualTo("want to visit");
    assertThat(view.state().suggestedContinuation()).isEqualTo("go on");
    assertThat(view.record().generation()).as("generations").isGreaterThanOrEqualTo(1);
    assertThat(config(rig, thread))
        .contains("\"observer\":\"model\",\"model\":\"fake/observer\",\"promptVersion\":\"")
        .startsWith("{\"messageTokens\":400,\"observationTokens\":700");
    assertThat(model.requests)
        .allMatch(
            request -> request.model().equals("fake/observer") && !request.system().contains("{{"))
        .anyMatch(request -> request.text().contains("kind=\"tool-call\" tool=\"search\""))
        .anyMatch(request -> request.text().contains("kind=\"tool-result\" tool=\"search\""));
  }

  static Stream<FakeModel.Mood> moods() {
    return Map.<String, FakeModel.Mood>of(
        "unavailable",
        (call, request) -> {
          throw new ModelFailureException(ModelFailureException.Reason.UNAVAILABLE, "down");
        },
        "half of the time",
        (call, request) -> {
          if (call % 2 == 0) {
            throw new ModelFailureException(ModelFailureException.Reason.REFUSED, "no");
          }
          return null;
        },
        "garbage",
        (call, request) -> FakeModel.text("I am a teapot. </observations> <observations>"),
        "silent",
        (call, request) -> FakeModel.text(""),
        "loops",
        (call, request) ->
            FakeModel.text(
                "<observations>\n"
                    + "* 🟢 (09:30) again and again\n".repeat(90)
                    + "</observations>"),
        "never ends",
        (call, request) -> new ModelClient.Completion("<observations>\n* a", true, 1, 1),
        "longer than before",
        (call, request) ->
            request.text().contains("<message-")
                ? null
                : FakeModel.text("<observations>\n" + longLog() + "</observations>"))
        .values()
        .stream();
  }

  @Tag("heavy")
  @ParameterizedTest
  @MethodSource("moods")
  void whateverTheModelDoesThreadsAreObservedOnce(FakeModel.Mood mood) {
    FakeModel model = new FakeModel(mood);
    ObserverRig rig = rig(model);
    long thread = rig.createThread("t");
    talk(rig, "t", thread, 60);
    assertThat(rig.view(thread).record().totalTokensObserved()).isPositive();
    assertThat(rig.count("observation_jobs", thread)).isZero();
    assertThat(model.requests).isNotEmpty();
    if (!rig.view(thread).log().contains("model heard")) {
      assertThat(config(rig, thread))
          .contains("\"observer\":\"extractive\",\"model\":\"fake/observer\"}");
    }
  }

  @Test
  void aBadAnswerIsAskedForOnceMore() {
    FakeModel model = new FakeModel((call, request) -> call == 1 ? FakeModel.text("?") : null);
    ObserverRig rig = rig(model);
    long thread = rig.createThread("twice");
    rig.append("twice", List.of(user("word ".repeat(90).strip())));
    request(rig, thread);
    rig.observe();
    assertThat(model.requests).hasSize(2);
    assertThat(rig.view(thread).chunks().get(0).observations()).contains("model heard");
  }

  @Tag("heavy")
  @Test
  void aReflectionThatRepeatsItselfIsNotCommitted() {
    FakeModel model =
        new FakeModel(
            (call, request) ->
                request.text().contains("<message-")
                    ? null
                    : FakeModel.text(
                        "<observations>\nDate: November 20, 2026\n"
                            + "* 🔴 (09:30) the same line\n".repeat(5)
                            + "</observations>"));
    ObserverRig rig = rig(model);
    long thread = rig.createThread("the same");
    talk(rig, "the same", thread, 100);
    assertThat(rig.view(thread).record().generation()).isGreaterThanOrEqualTo(1);
    assertThat(rig.view(thread).log()).contains("model heard").doesNotContain("the same line");
  }

  @Test
  void aMessageLargerThanTheThresholdIsObservedInParts() {
    FakeModel model = new FakeModel((call, request) -> null);
    ObserverRig rig = rig(model);
    long thread = rig.createThread("large");
    String large =
        IntStream.range(0, 300)
            .mapToObj(i -> "Sentence " + i + " is here. ")
            .collect(Collectors.joining());
    rig.append("large", List.of(user("Hello."), user(large), user("Well, that is all.")));
    request(rig, thread);
    rig.observe();
    rig.assertEachMessageIsCoveredOnce(thread);
    List<String> parts =
        model.requests.stream()
            .map(ModelClient.Request::text)
            .filter(text -> text.contains("Sentence "))
            .map(text -> text.substring(text.indexOf("<message-")))
            .toList();
    assertThat(parts).hasSizeGreaterThan(3);
    for (int i = 0; i < 300; i++) {
      String sentence = "Sentence " + i + " is here.";
      assertThat(parts.stream().filter(part -> part.contains(sentence))).as(sentence).hasSize(1);
    }
  }

  @Tag("heavy")
  @Test
  void aReflectionThatDoesNotGetSmallerIsNotCommittedAndNotTriedAtOnce() {
    // One long line: even the extractive reflector cannot leave anything out.
    FakeModel model =
        new FakeModel(
            (call, request) ->
                request.text().contains("<message-")
                    ? FakeModel.text(
                        "<observations>\n* 🔴 (09:30) " + words(500) + "\n</observations>")
                    : FakeModel.text(
                        "<observations>\n* 🔴 (09:30) " + words(600) + "\n</observations>"));
    ObserverRig rig = rig(model);
    long thread = rig.createThread("stubborn");
    rig.append("stubborn", List.of(user(words(140)), user(words(100))));
    request(rig, thread);
    rig.observe();
    assertThat(rig.view(thread).record().generation()).isZero();
    assertThat(rig.view(thread).log()).contains("w499");
    long reflections = reflections(model);
    assertThat(reflections).isEqualTo(2);
    request(rig, thread);
    rig.observe();
    assertThat(reflections(model)).as("not tried again before the log has grown").isEqualTo(2);
  }

  private static long reflections(FakeModel model) {
    return model.requests.stream().filter(request -> !request.text().contains("<message-")).count();
  }

  private static String words(int count) {
    StringBuilder words = new StringBuilder();
    for (int i = 0; i < count; i++) {
      words.append("w").append(i).append(' ');
    }
    return words.toString().strip();
  }

  private static String longLog() {
    StringBuilder log = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      log.append("* 🟢 (09:30) line ").append(i).append(" of a log that is longer than before\n");
    }
    return log.toString();
  }

  private static ObserverRig rig(ModelClient model) {
    return new ObserverRig(
        DATABASE, ObserverRig.settings("fake/observer", MESSAGE_TOKENS, OBSERVATION_TOKENS), model);
  }

  private static void request(ObserverRig rig, long thread) {
    rig.jdbi.useTransaction(handle -> ObservationJobs.request(handle, List.of(thread)));
  }

  private static void talk(ObserverRig rig, String name, long thread, int turns) {
    for (int i = 0; i < turns; i++) {
      List<NewMessage> turn = new ArrayList<>();
      turn.add(user("I want to visit town " + i + " and I need " + i + " tickets. So it goes on."));
      if (i % 5 == 0) {
        turn.add(call("c" + i, "{}"));
        turn.add(result("c" + i, "Found " + i + " tickets."));
      }
      rig.append(name, turn);
      rig.observe();
      rig.assertEachMessageIsCoveredOnce(thread);
    }
  }

  private static String config(ObserverRig rig, long thread) {
    return rig.jdbi
        .withExtension(RecordDao.class, dao -> dao.current(thread))
        .orElseThrow()
        .config();
  }
}
