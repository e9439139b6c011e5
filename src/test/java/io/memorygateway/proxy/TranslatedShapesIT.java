package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Contract §14: a caller gets the shape that it asked for, whatever that of the target's answer.
 */
class TranslatedShapesIT {
  private static final String PAIRS = "io.memorygateway.proxy.TranslatedAnswersIT#pairs";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Map<String, String> PATHS = TranslatedAnswersIT.PATHS;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                config.put("maxRequestBody", "2MiB").put("maxBodiesInWork", "24MiB");
                for (String served : List.of("chat", "messages", "responses")) {
                  ObjectNode provider = Routed.provider(config, "only-" + served, UPSTREAM);
                  provider.putArray("endpoints").add(served);
                  provider.putArray("translate").add("chat").add("messages").add("responses");
                }
              });

  @BeforeEach
  void reset() {
    UPSTREAM.reset();
  }

  /** The target answers in the other shape than it is asked for. */
  private static void answerOtherwise() {
    UPSTREAM.answer(
        request -> {
          ObjectNode body = request.json().deepCopy();
          boolean stream = body.path("stream").asBoolean();
          body.put("stream", !stream).putObject("stream_options").put("include_usage", true);
          CannedReplies.Reply reply = CannedReplies.reply(request.path(), body, CannedReplies.TEXT);
          return stream ? Answer.json(reply.json()) : Answer.sse(reply.events());
        });
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void theCallerGetsTheShapeThatItAskedFor(String called, String served) throws Exception {
    for (boolean stream : new boolean[] {true, false}) {
      String thread = called + "-" + served + "-" + stream;
      String body = Routed.body(PATHS.get(called), "only-" + served + "/m", stream);
      String[] headers = {"x-thread-id", thread, "x-resource-id", "r"};
      HttpResponse<String> expected = GATEWAY.post(PATHS.get(called), body);
      answerOtherwise();

      HttpResponse<String> answer = Routed.call(GATEWAY, PATHS.get(called), body, headers);

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type").orElse(""))
          .startsWith(stream ? "text/event-stream" : "application/json");
      assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
      if (stream) {
        assertThat(told(called, answer.body())).isEqualTo(told(called, expected.body()));
        assertThat(answer.body()).contains("_tokens\":");
      } else {
        assertThat(said(answer.body())).isEqualTo(said(expected.body()));
      }
      String messages =
          GATEWAY.get("/v1/memory/threads/" + thread + "/messages?resourceId=r").body();
      assertThat(messages).contains("Hello?", CannedReplies.TEXT);
      UPSTREAM.reset();
    }
  }

  /** Of which each takes a hundred bytes while they are read. */
  @ParameterizedTest
  @MethodSource(PAIRS)
  void anAnswerOfMoreValuesThanThereIsRoomForIs503(String called, String served) throws Exception {
    ObjectNode call = (ObjectNode) JSON.readTree(Routed.body(PATHS.get(served), "m", false));
    String reply =
        CannedReplies.reply(PATHS.get(served), call, CannedReplies.TEXT).json().toString();
    for (int values : new int[] {200_000, 2_000}) {
      String more = "{\"more\":[0" + ",0".repeat(values) + "],";
      UPSTREAM.answerAlways(Answer.json(more + reply.substring(1)));
      for (boolean stream : new boolean[] {true, false}) {
        HttpResponse<String> answer =
            Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/values", stream);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(values > 2_000 ? 503 : 200);
      }
    }
  }

  /** A whole answer without what is new in each. */
  /** What a stream tells, without what makes the id of each answer another one. */
  private static List<String> told(String called, String stream) throws Exception {
    return TranslatedAnswersIT.told(called, stream).stream()
        .map(said -> said.replaceFirst("_mgw[0-9a-f]{9} ", " "))
        .toList();
  }

  private static JsonNode said(String body) throws Exception {
    ObjectNode answer = (ObjectNode) JSON.readTree(body);
    List.of("id", "created", "created_at", "completed_at").forEach(answer::remove);
    answer.path("output").forEach(item -> ((ObjectNode) item).remove("id"));
    return answer;
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void aWholeAnswerWithNumbersThatJsonDoesNotHaveIsTranslated(String called, String served)
      throws Exception {
    UPSTREAM.answer(
        request -> {
          String json =
              CannedReplies.reply(request.path(), request.json(), CannedReplies.TEXT).json();
          return Answer.json("{\"x\":[NaN,-Infinity]," + json.substring(1));
        });

    HttpResponse<String> answer =
        Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/m", false);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains(CannedReplies.TEXT);
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void aWholeAnswerIsCutForAStreamThatBreaks(String called, String served) throws Exception {
    List<String> events =
        CannedReplies.reply(
                PATHS.get(served),
                JSON.readTree(Routed.body(PATHS.get(served), "m", true)),
                CannedReplies.TEXT)
            .events();
    UPSTREAM.answerAlways(Answer.sse(events.subList(0, 3)));
    HttpResponse<String> broken =
        Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/broken", false);

    assertThat(broken.statusCode()).as(broken.body()).isEqualTo(502);
    assertThat(broken.body()).contains("only-" + served, "\"type\":\"upstream_error\"");

    String error =
        served.equals("responses")
            ? "{\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"Not now.\"}"
            : "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Not"
                + " now.\"}}";
    UPSTREAM.answerAlways(
        Answer.sse(List.of(events.get(0), "event: error\ndata: " + error + "\n\n")));
    HttpResponse<String> refused =
        Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/refused", false);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(429);
    assertThat(JSON.readTree(refused.body()).at("/error/message").asText()).isEqualTo("Not now.");
    assertThat(refused.headers().firstValue("X-Memory-Status")).hasValue("off");
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void anObjectThatIsNoAnswerIs502(String called, String served) throws Exception {
    for (String body : List.of("{}", "{\"usage\":{\"prompt_tokens\":3,\"input_tokens\":3}}")) {
      UPSTREAM.answerAlways(Answer.json(body));
      for (boolean stream : new boolean[] {true, false}) {
        HttpResponse<String> answer =
            Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/none", stream);

        assertThat(answer.statusCode()).as(body + answer.body()).isEqualTo(502);
        JsonNode error = JSON.readTree(answer.body());
        assertThat(error.at("/error/type").asText()).isEqualTo("upstream_error");
        assertThat(error.path("type").asText()).isEqualTo(called.equals("messages") ? "error" : "");
      }
    }
  }
}
