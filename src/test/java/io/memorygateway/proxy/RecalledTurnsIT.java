package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.MESSAGES;
import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §11: recall and time marks, as the upstream sees them. */
class RecalledTurnsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                ((ObjectNode) config.get("rateLimits")).putObject("rules");
                // As long as it takes: what is asserted is what is recalled, not how fast.
                ((ObjectNode) config.get("recall")).put("timeout", "30s");
                // What is old here is elided: nobody observes.
                ((ObjectNode) config.get("observation"))
                    .put("messageTokens", 2_000)
                    .put("observationTokens", 2_000)
                    .put("workers", 0);
              });

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("EEEE, d MMMM uuuu", Locale.ENGLISH).withZone(ZoneOffset.UTC);

  private final String id = "recalled-" + UUID.randomUUID();
  private final ThreadCaller thread = new ThreadCaller(GATEWAY, id);
  private final List<String> history = new ArrayList<>();

  @Test
  void whatWasSaidLongAgoIsQuotedNextToTheNewMessageInEveryFormat() throws Exception {
    store();
    for (String path : List.of(CHAT, MESSAGES, RESPONSES)) {
      String today = today();
      HttpResponse<String> answer = thread.call(path, body(path, "What is my dog called?"));

      JsonNode sent = UPSTREAM.takeRequest().json();
      JsonNode messages = sent.path(path.equals(RESPONSES) ? "input" : "messages");
      JsonNode last = messages.path(messages.size() - 1);
      JsonNode before = messages.path(messages.size() - 2);
      String quotation =
          path.equals(MESSAGES)
              ? last.at("/content/1/text").asText()
              : before.path("content").asText();
      assertThat(quotation)
          .contains("<earlier-messages>", "User: My dog is called Rex.", "Assistant: A fine name.")
          .contains("[Wednesday, 4 January 2023, 01:00 UTC, ")
          .containsAnyOf(today, today())
          .containsPattern("The oldest message above is of \\w+, \\d+ January 2023\\.]")
          .doesNotContain("What is my dog called?");
      assertThat(last.toString()).contains("What is my dog called?");
      assertThat(last.path("role").asText()).isEqualTo("user");
      assertThat(sent.toString()).containsOnlyOnce("called Rex");
      assertThat(context(answer)).doesNotContain("recalled=0");
    }
    assertThat(GATEWAY.get("/v1/memory/threads/" + id + "/messages?order=desc&limit=6").body())
        .doesNotContain("earlier-messages");
  }

  @Test
  void aCallerWhoResendsEverythingIsQuotedOnceAndAsksTheSameAgainLikewise() throws Exception {
    store();
    history.add(message("user", "What is my dog called?"));

    thread.call(CHAT, chat(history.toArray(String[]::new)));
    String first = UPSTREAM.takeRequest().text();
    thread.call(CHAT, chat(history.toArray(String[]::new)));
    String again = UPSTREAM.takeRequest().text();

    assertThat(first).containsOnlyOnce("called Rex").containsOnlyOnce("What is my dog called?");
    assertThat(again)
        .as("the question is not dated, although it is stored by now")
        .containsOnlyOnce("called Rex")
        .containsOnlyOnce("{\"role\":\"user\",\"content\":\"What is my dog called?\"}]");
  }

  @Test
  void aStepOfToolsAndAThreadThatIsNotOldAndOneThatWantsNoneAreNotQuoted() throws Exception {
    assertThat(context(thread.say("My dog is called Rex."))).endsWith("recalled=0");
    assertThat(context(thread.say("What is my dog called?"))).endsWith("recalled=0");
    store();
    post(
        List.of(
            """
            {"role":"assistant","content":{"content":null,"tool_calls":[{"id":"call_1","type":"function",\
            "function":{"name":"dogs","arguments":"{}"}}]}}"""));
    String step =
        "{\"role\":\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"My dog is called what?\"}";
    assertThat(context(thread.call(CHAT, chat(step)))).endsWith("recalled=0");

    assertThat(context(thread.say("And what is my dog called now?"))).doesNotContain("recalled=0");
    configure("{\"recallTokens\":0}");
    assertThat(context(thread.say("And what is my dog called?"))).endsWith("recalled=0");
  }

  @Test
  void aMessageOfANewDayCarriesItsDateAndWhatTheCallerSendsDoesNot() throws Exception {
    create();
    post(
        List.of(
            dated("user", "One.", "2026-11-20T09:00:00Z"),
            dated("assistant", "Two.", "2026-11-20T09:00:10Z"),
            dated("user", "Three.", "2026-11-21T08:00:00Z"),
            dated("assistant", "Four.", "2026-11-21T08:00:10Z")));
    String marked = "[Saturday, 21 November 2026, 08:00 UTC]\nThree.";
    for (String path : List.of(CHAT, MESSAGES, RESPONSES)) {
      thread.call(path, body(path, "Five over " + path));
      JsonNode sent = UPSTREAM.takeRequest().json();
      JsonNode messages = sent.path(path.equals(RESPONSES) ? "input" : "messages");
      assertThat(messages.path(0).path("content").asText()).isEqualTo("One.");
      assertThat(messages.path(2).path("content").asText()).isEqualTo(marked);
      JsonNode last = messages.path(messages.size() - 1);
      JsonNode said = path.equals(MESSAGES) ? last.at("/content/0/text") : last.path("content");
      assertThat(said.asText()).isEqualTo("Five over " + path);
      assertThat(sent.toString())
          .contains("[Today is ", "The oldest message above is of Friday, 20 November 2026.]");
    }
    assertThat(thread.stored()).contains("user \"Three.\"");

    configure("{\"timeMarks\":false}");
    thread.say("Six.");
    assertThat(UPSTREAM.takeRequest().text()).contains("\"Three.\"").doesNotContain("2026");
    configure("{\"timeMarks\":true,\"timeZone\":\"America/New_York\"}");
    thread.say("Seven.");
    assertThat(UPSTREAM.takeRequest().text()).contains("[Saturday, 21 November 2026, 03:00 GMT-5]");
    assertThat(configure("{\"timeZone\":\"Mars/Base\"}").statusCode()).isEqualTo(400);
    assertThat(configure("{\"timeMarks\":\"yes\"}").statusCode()).isEqualTo(400);
  }

  private static String today() {
    return "[Today is " + DAY.format(Instant.now()) + ", ";
  }

  private void store() throws Exception {
    create();
    Instant time = Instant.parse("2023-01-01T00:00:00Z");
    List<String> messages = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      String role = i % 2 == 0 ? "user" : "assistant";
      String text =
          i == 74
              ? "My dog is called Rex."
              : i == 75 ? "A fine name." : "Thing " + i + " lies by the road to town " + i * 7;
      messages.add(dated(role, text, time.plus(Duration.ofHours(i)).toString()));
      history.add(message(role, text));
    }
    post(messages);
  }

  private void create() throws Exception {
    GATEWAY.send(
        GATEWAY
            .request("/v1/memory/threads")
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"id\":\"" + id + "\",\"resourceId\":\"user-1\"}")));
  }

  private void post(List<String> messages) throws Exception {
    HttpResponse<String> stored =
        GATEWAY.send(
            GATEWAY
                .request("/v1/memory/threads/" + id + "/messages")
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"messages\":[" + String.join(",", messages) + "]}")));
    assertThat(stored.statusCode()).isEqualTo(201);
  }

  private HttpResponse<String> configure(String patch) throws Exception {
    return GATEWAY.send(
        GATEWAY
            .request("/v1/memory/threads/" + id + "/observations/config")
            .header("Content-Type", "application/json")
            .method("PATCH", HttpRequest.BodyPublishers.ofString(patch)));
  }

  private static String dated(String role, String text, String time) {
    return "{\"role\":\"%s\",\"content\":\"%s\",\"createdAt\":\"%s\"}".formatted(role, text, time);
  }

  private static String body(String path, String text) {
    return switch (path) {
      case RESPONSES -> "{\"model\":\"gpt-5\",\"input\":\"" + text + "\"}";
      case MESSAGES ->
          "{\"model\":\"claude-opus-4\",\"max_tokens\":10,\"messages\":["
              + message("user", text)
              + "]}";
      default -> chat(message("user", text));
    };
  }

  private static String context(HttpResponse<String> answer) {
    return answer.headers().firstValue("X-Memory-Context").orElse("none");
  }
}
