package io.memorygateway.turn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import io.memorygateway.auth.Caller;
import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.fourth.FourthFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.observation.ContextSettings;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.observation.RecallSettings;
import io.memorygateway.search.SearchConfiguration;
import io.memorygateway.search.SearchModule;
import io.memorygateway.sse.SseSplitter;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestMemory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A format that nothing outside its package knows has turns as the others do. */
class FourthTurnsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final Format FOURTH = new FourthFormat();
  private static final String FIRST = "{'model':'m','say':[{'by':'human','content':'one'}]}";
  private static final String WHOLE =
      Calls.json(
          "{'model':'m','output':[{'kind':'start','key':'k','model':'m','at':9},"
              + "{'kind':'text','piece':0,'more':'first'},{'kind':'close','piece':0},"
              + "{'kind':'end','why':'END','usage':{'read':1,'written':1}}],"
              + "'usage':{'read':1,'written':1}}");

  private final Jdbi jdbi = DATABASE.jdbi();
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final MemoryModule memory =
      TestMemory.create(jdbi, ObservationSettings.defaults(), registry);
  private final Caller caller = TestMemory.newCaller(jdbi);
  private final Turns turns =
      new Turns(
          memory,
          MemoryConfiguration.defaults(),
          new ContextSettings(ObservationSettings.defaults(), RecallSettings.defaults()),
          SearchModule.install(
              SearchConfiguration.defaults(),
              memory.transactions(),
              Clock.systemUTC(),
              registry,
              new LifecycleEnvironment(new MetricRegistry())),
          new HeapBudget(64 << 20, 1 << 20, registry),
          registry);

  @AfterEach
  void close() {
    memory.appends().close();
  }

  static Stream<Format> others() {
    return Stream.of(new ChatFormat(), new MessagesFormat(), new ResponsesFormat());
  }

  @ParameterizedTest
  @MethodSource("others")
  void aThreadGoesOnInAnotherFormatAndComesBack(Format other) throws Exception {
    answer(FOURTH, FIRST, WHOLE);
    String next = "{'model':'m','max_tokens':9,'%s':[{'role':'user','content':'two'}]}";
    Turn theirs = open(other, next.formatted(other.inputMember()), false);

    assertThat(said(other, theirs)).containsExactly("one", "first", "two");
    stream(other, theirs);
    Turn back = open(FOURTH, "{'model':'m','say':[{'by':'human','content':'three'}]}", false);
    assertThat(said(FOURTH, back)).containsExactly("one", "first", "two", "second", "three");
    stream(FOURTH, back);
    String whole =
        "{'model':'m','say':[{'by':'human','content':'one'},{'by':'model','content':'first'},"
            + "{'by':'human','content':'two'},{'by':'model','content':'second'},"
            + "{'by':'human','content':'three'},{'by':'model','content':'second'},"
            + "{'by':'human','content':'four'}]}";
    assertThat(said(FOURTH, open(FOURTH, whole, false)))
        .containsExactly("one", "first", "two", "second", "three", "second", "four");
  }

  @Test
  void theSameCallGetsItsAnswerAgain() {
    answer(FOURTH, FIRST, WHOLE);
    Replay replay = open(FOURTH, FIRST, true).replay();

    assertThat(replay).isNotNull();
    assertThat(FOURTH.answer(replay.body()))
        .extracting(StoredMessage::text)
        .containsExactly("first");
  }

  private void answer(Format format, String call, String answer) {
    try (Turn turn = open(format, call, false)) {
      assertThat(turn.answered(answer.getBytes(UTF_8))).isEqualTo(MemoryStatus.STORED);
      turn.handedOn();
    }
  }

  /** Answers "second", as a format streams what is stored of it. */
  private static void stream(Format format, Turn open) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    List<StoredMessage> messages =
        format.answer(
            format.replay().body(answered(List.of(StoredMessage.of("assistant", "\"second\"")))));
    format.replay().stream(answered(messages), answer);
    try (Turn turn = open) {
      Turn.Streamed streamed = turn.streamed();
      byte[] bytes = answer.toByteArray();
      new SseSplitter(1 << 20).feed(bytes, 0, bytes.length, streamed::accept);
      assertThat(streamed.complete()).isEqualTo(MemoryStatus.STORED);
      turn.handedOn();
    }
  }

  private static AnswerReplay.Answered answered(List<StoredMessage> messages) {
    return new AnswerReplay.Answered("{}", messages);
  }

  private Turn open(Format format, String body, boolean again) {
    return turns.open(
        caller,
        new MemoryRequest("t", "r", null, again, "/", Duration.ZERO, true, null, false, true),
        format,
        Calls.body(body),
        Calls.model("m"),
        onLeaving -> () -> {},
        RequestReservation.unbounded());
  }

  private static List<String> said(Format format, Turn turn) {
    return Calls.read(format, new String(turn.upstreamBody(), UTF_8)).messages().stream()
        .map(StoredMessage::text)
        .toList();
  }
}
