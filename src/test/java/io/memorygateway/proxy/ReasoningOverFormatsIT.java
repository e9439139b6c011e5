package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Contract §14: a thread goes on from any format to any target, and what of its reasoning is marked
 * comes back to its maker, in the maker's form, whatever was called when it was stored.
 */
class ReasoningOverFormatsIT {
  private static final Map<String, String> PATHS =
      Map.of("chat", Routed.CHAT, "messages", Routed.MESSAGES, "responses", Routed.RESPONSES);

  private static final Map<String, String> REASONING =
      Map.of(
          "chat",
          "\"reasoning_content\":\"hm ü\",\"reasoning_details\":[{\"type\":\"reasoning.text\","
              + "\"text\":\"hm ü\",\"signature\":\"s1.0\",\"index\":0}]",
          "messages",
          "{\"type\":\"thinking\",\"thinking\":\"hm ü\",\"signature\":\"s1.0\"}",
          "responses",
          "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\","
              + "\"text\":\"hm ü\"}],\"encrypted_content\":\"s1.0\"}");

  private static final Map<String, String> ANSWERS =
      Map.of(
          "chat",
          "{\"id\":\"i\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,"
              + "\"message\":{\"role\":\"assistant\",\"content\":\"said\",%s},"
              + "\"finish_reason\":\"stop\"}]}",
          "messages",
          "{\"id\":\"i\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":["
              + "%s,{\"type\":\"text\",\"text\":\"said\"}],\"stop_reason\":\"end_turn\"}",
          "responses",
          "{\"id\":\"i\",\"object\":\"response\",\"status\":\"completed\",\"model\":\"m\","
              + "\"output\":[%s,{\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\","
              + "\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":\"said\","
              + "\"annotations\":[]}]}]}");

  private static final String CHUNK =
      "data: {\"id\":\"i\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":"
          + "[{\"index\":0,\"delta\":{%s},\"finish_reason\":%s}]}\n\n";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                for (String served : PATHS.keySet()) {
                  for (String name : List.of("own-", "other-")) {
                    ObjectNode provider = Routed.provider(config, name + served, UPSTREAM);
                    provider.putArray("endpoints").add(served);
                    provider.putArray("translate").add("chat").add("messages").add("responses");
                  }
                }
              });

  static Stream<Arguments> ways() {
    return PATHS.keySet().stream()
        .flatMap(
            first ->
                PATHS.keySet().stream()
                    .flatMap(
                        next ->
                            PATHS.keySet().stream()
                                .filter(served -> !served.equals(first))
                                .map(served -> Arguments.of(first, next, served))));
  }

  @ParameterizedTest
  @MethodSource("ways")
  void itsMakerGetsItBack(String first, String next, String served) throws Exception {
    String thread = String.join("-", first, next, served);
    said(first, served, thread);

    assertThat(call(next, "own-" + served, thread, false).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text())
        .contains(REASONING.get(served), "said")
        .doesNotContain(Seal.FORMAT);

    assertThat(call(first, "own-" + served, thread, true).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text())
        .contains(REASONING.get(served), "said")
        .doesNotContain(Seal.FORMAT);
  }

  @ParameterizedTest
  @CsvSource({
    "chat, messages, responses",
    "chat, responses, responses",
    "messages, chat, responses",
    "messages, responses, chat",
    "responses, messages, chat",
    "responses, chat, messages"
  })
  void nobodyElseGetsIt(String first, String next, String served) throws Exception {
    String thread = String.join("-", first, next, served, "other");
    said(first, served, thread);

    HttpResponse<String> answer = call(next, "other-" + served, thread, false);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text()).contains("said").doesNotContain("hm ü", Seal.FORMAT);
    assertThat(answer.headers().firstValue("X-Gateway-Dropped"))
        .hasValueSatisfying(named -> assertThat(named).contains("reasoning"));
  }

  /** A signature of a call, without which Gemini refuses the result, is on the call again. */
  @ParameterizedTest
  @CsvSource({
    "messages, chat",
    "messages, messages",
    "messages, responses",
    "responses, chat",
    "responses, messages",
    "responses, responses"
  })
  void aSignedCallStaysSigned(String first, String next) throws Exception {
    String thread = String.join("-", first, next, "signed");
    UPSTREAM.enqueue(
        Answer.json(
            "{\"id\":\"i\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,"
                + "\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
                + "\"c1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"},"
                + "\"extra_content\":{\"s\":\"SIG\"}}]},\"finish_reason\":\"tool_calls\"}]}"));
    assertThat(call(first, "own-chat", thread, false).statusCode()).isEqualTo(200);
    UPSTREAM.takeRequest();

    assertThat(call(next, "own-chat", thread, false).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text())
        .contains("\"arguments\":\"{}\"},\"extra_content\":{\"s\":\"SIG\"}}]")
        .doesNotContain(Seal.FORMAT);

    assertThat(call(next, "other-chat", thread, true).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text()).contains("\"c1\"").doesNotContain("SIG", "extra_");
  }

  /** So is one that comes when its call has begun, and is told behind it. */
  @ParameterizedTest
  @CsvSource({
    "messages, chat",
    "messages, messages",
    "messages, responses",
    "responses, chat",
    "responses, messages",
    "responses, responses"
  })
  void aCallThatIsSignedLateStaysSigned(String first, String next) throws Exception {
    String thread = String.join("-", first, next, "late");
    UPSTREAM.enqueue(
        Answer.sse(
            List.of(
                CHUNK.formatted(
                    "\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
                        + "\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]",
                    "null"),
                CHUNK.formatted(
                    "\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"},"
                        + "\"extra_content\":{\"s\":\"SIG\"}}]",
                    "null"),
                CHUNK.formatted("", "\"tool_calls\""),
                "data: [DONE]\n\n")));
    assertThat(call(first, "own-chat", thread, true).statusCode()).isEqualTo(200);
    UPSTREAM.takeRequest();

    assertThat(call(next, "own-chat", thread, false).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text())
        .contains("\"arguments\":\"{}\"},\"extra_content\":{\"s\":\"SIG\"}}]")
        .doesNotContain(Seal.FORMAT);
  }

  /** So is reasoning that comes behind the text to which it led. */
  @ParameterizedTest
  @CsvSource({
    "messages, chat",
    "messages, messages",
    "messages, responses",
    "responses, chat",
    "responses, messages",
    "responses, responses"
  })
  void reasoningThatComesLateGoesBack(String first, String next) throws Exception {
    String thread = String.join("-", first, next, "behind");
    UPSTREAM.enqueue(
        Answer.sse(
            List.of(
                CHUNK.formatted("\"content\":\"said\"", "null"),
                CHUNK.formatted("\"reasoning_content\":\"hm\"", "null"),
                CHUNK.formatted("", "\"stop\""),
                "data: [DONE]\n\n")));
    assertThat(call(first, "own-chat", thread, true).statusCode()).isEqualTo(200);
    UPSTREAM.takeRequest();

    assertThat(call(next, "own-chat", thread, false).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text())
        .contains("{\"role\":\"assistant\",\"content\":\"said\",\"reasoning_content\":\"hm\"}");
  }

  /** DeepSeek demands the reasoning on the message with the calls to which it led. */
  @ParameterizedTest
  @CsvSource({"messages, chat", "messages, responses", "responses, chat", "responses, messages"})
  void reasoningTextAndCallsOfAnAnswerStayTogether(String first, String next) throws Exception {
    String thread = String.join("-", first, next, "together");
    UPSTREAM.enqueue(
        Answer.json(
            "{\"id\":\"i\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,"
                + "\"message\":{\"role\":\"assistant\",\"reasoning_content\":\"hm\",\"content\":\"said\","
                + "\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                + "\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}"));
    assertThat(call(first, "own-chat", thread, false).statusCode()).isEqualTo(200);
    UPSTREAM.takeRequest();

    assertThat(call(next, "own-chat", thread, false).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text())
        .contains(
            "{\"role\":\"assistant\",\"content\":\"said\",\"reasoning_content\":\"hm\","
                + "\"tool_calls\":[{\"id\":\"c1\"");
  }

  /** Of an untranslated answer nobody noted the maker. */
  @ParameterizedTest
  @CsvSource({
    "chat, messages, chat",
    "messages, chat, messages",
    "messages, messages, chat",
    "responses, chat, responses",
    "responses, responses, messages"
  })
  void whatIsUnmarkedGoesToNobodyInATranslatedCall(String first, String next, String served)
      throws Exception {
    String thread = String.join("-", first, next, served, "unmarked");
    said(first, first, thread);

    assertThat(call(next, "other-" + served, thread, false).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text())
        .contains("said")
        .doesNotContain("hm ü", "s1.0", Seal.FORMAT);
  }

  private static void said(String called, String served, String thread) throws Exception {
    UPSTREAM.enqueue(Answer.json(ANSWERS.get(served).formatted(REASONING.get(served))));
    assertThat(call(called, "own-" + served, thread, false).statusCode()).isEqualTo(200);
    UPSTREAM.takeRequest();
  }

  private static HttpResponse<String> call(
      String called, String provider, String thread, boolean stream) throws Exception {
    return Routed.call(
        GATEWAY,
        PATHS.get(called),
        Routed.body(PATHS.get(called), provider + "/m", stream)
            .replace("Hello?", "Hello " + stream + "?"),
        "x-thread-id",
        thread,
        "x-resource-id",
        "r");
  }
}
