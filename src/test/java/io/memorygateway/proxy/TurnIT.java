package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.MESSAGES;
import static io.memorygateway.proxy.ThreadCaller.RESPONSES;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.sent;
import static io.memorygateway.proxy.ThreadCaller.streamedChat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §7: proxied calls with {@code x-thread-id} and {@code x-resource-id} remember. */
class TurnIT {
  private static final AtomicInteger THREADS = new AtomicInteger();
  private static final String HELLO = "\"Hello from the upstream.\"";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config ->
                  // Longer than a test may hold a lock that a turn waits for.
                  config.withObject("/database/properties").put("socketTimeout", "60000"));

  private String id;
  private ThreadCaller thread;

  @BeforeEach
  void newThread() {
    id = "turns-" + THREADS.incrementAndGet();
    thread = new ThreadCaller(GATEWAY, id);
  }

  @Test
  void whatWasSaidGoesUpstreamAndWhatIsNewIsStored() throws Exception {
    HttpResponse<String> first = thread.say("one");
    assertThat(first.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(sent(UPSTREAM.takeRequest().json())).containsExactly("user \"one\"");

    thread.say("two");
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .containsExactly("user \"one\"", "assistant " + HELLO, "user \"two\"");
    assertThat(thread.stored())
        .containsExactly(
            "user \"one\"", "assistant " + HELLO, "user \"two\"", "assistant " + HELLO);
  }

  @Test
  void theTokensOfAShortTurnAreStoredWithItAndThoseOfALongOneLeftToTheObserver() throws Exception {
    thread.say("What is the capital of France?");
    thread.say("word ".repeat(2_000));

    TokenCounter counter = new TokenCounter();
    assertThat(tokens())
        .containsExactly(
            counter.count("What is the capital of France?"),
            counter.count("Hello from the upstream."),
            null,
            null);
  }

  /** As counted with each message; null: not yet. */
  private List<Integer> tokens() throws SQLException {
    List<Integer> tokens = new ArrayList<>();
    try (Connection connection = DATABASE.connect();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT tokens FROM messages JOIN threads ON threads.id = thread_id"
                    + " WHERE threads.public_id = ? ORDER BY seq")) {
      select.setString(1, id);
      ResultSet rows = select.executeQuery();
      while (rows.next()) {
        tokens.add(rows.getObject(1, Integer.class));
      }
    }
    return tokens;
  }

  @Test
  void aThreadGoesOnOverEveryEndpointInItsOwnFormat() throws Exception {
    thread.say("over chat");
    UPSTREAM.takeRequest();
    thread.call(
        MESSAGES,
        "{\"model\":\"claude-x\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"over messages\"}]}");
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .hasSize(3)
        .element(1)
        .asString()
        .contains("Hello from the upstream.");
    thread.call(RESPONSES, "{\"model\":\"gpt-5\",\"input\":\"over responses\"}");
    assertThat(sent(UPSTREAM.takeRequest().json())).hasSize(5);
    thread.say("chat again");
    assertThat(sent(UPSTREAM.takeRequest().json())).hasSize(7);

    assertThat(thread.stored()).hasSize(8);
    assertThat(thread.rows().get(3).path("content").get(0).path("type").asText()).isEqualTo("text");
    assertThat(thread.rows().get(5).path("content").path("type").asText()).isEqualTo("message");
  }

  @ParameterizedTest
  @CsvSource({CHAT + ",gpt-5", MESSAGES + ",claude-x", RESPONSES + ",gpt-5"})
  void streamsAreRememberedLikeWholeAnswers(String path, String model) throws Exception {
    String field = path.equals(RESPONSES) ? "input" : "messages";
    String body =
        "{\"model\":\"%s\",\"max_tokens\":9,\"stream\":true,\"%s\":[%s]}"
            .formatted(model, field, message("user", "hi"));
    HttpResponse<String> answer = thread.call(path, body);

    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(thread.stored()).hasSize(2).element(0).isEqualTo("user \"hi\"");
    assertThat(thread.rows().get(1).toString()).contains("Hello from the upstream.");
    thread.say("next");
    UPSTREAM.takeRequest();
    assertThat(sent(UPSTREAM.takeRequest().json())).hasSize(3);
  }

  @Test
  void aHistoryThatIsSentAgainIsNeitherStoredNorSentTwice() throws Exception {
    thread.say("one");
    thread.call(
        CHAT,
        chat(
            message("system", "Be brief."),
            message("user", "one"),
            message("assistant", "Hello from the upstream."),
            message("user", "two")));
    UPSTREAM.takeRequest();
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .containsExactly(
            "system \"Be brief.\"", "user \"one\"", "assistant " + HELLO, "user \"two\"");
    assertThat(thread.stored())
        .containsExactly(
            "user \"one\"", "assistant " + HELLO, "user \"two\"", "assistant " + HELLO);
  }

  @Test
  void theSecondStepOfAToolLoopRepeatsTheUsersMessage() throws Exception {
    String call =
        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\","
            + "\"function\":{\"name\":\"weather\",\"arguments\":\"{\\\"city\\\":\\\"Rome\\\"}\"}}]}";
    UPSTREAM.enqueue(
        Answer.json(
            "{\"choices\":[{\"index\":0,\"message\":"
                + call
                + ",\"finish_reason\":\"tool_calls\"}]}"));
    thread.say("weather?");
    thread.call(
        CHAT,
        chat(
            message("user", "weather?"),
            call,
            "{\"role\":\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"sunny\",\"name\":\"weather\"}"));
    UPSTREAM.takeRequest();
    assertThat(sent(UPSTREAM.takeRequest().json())).hasSize(3);
    assertThat(thread.stored()).hasSize(4);
    List<String> types = new ArrayList<>();
    thread.rows().forEach(row -> types.add(row.path("type").asText()));
    assertThat(types).containsExactly("text", "tool-call", "tool-result", "text");
  }

  @Test
  void theSameWordsSaidAgainAreANewTurn() throws Exception {
    thread.say("again");
    thread.say("again");
    assertThat(thread.stored()).hasSize(4);
  }

  @Test
  void anAnswerThatIsAskedForAgainIsKeptButLeavesTheConversation() throws Exception {
    thread.say("one");
    String history =
        chat(
            message("user", "one"),
            message("assistant", "Hello from the upstream."),
            message("user", "two"));
    thread.call(CHAT, history);
    UPSTREAM.enqueue(
        Answer.json(
            "{\"choices\":[{\"index\":0,\"message\":" + message("assistant", "Anew.") + "}]}"));
    thread.call(CHAT, history);
    assertThat(thread.stored())
        .containsExactly(
            "user \"one\"",
            "assistant " + HELLO,
            "user \"two\"",
            "assistant " + HELLO + " superseded",
            "assistant \"Anew.\"");
    UPSTREAM.takeRequest();
    UPSTREAM.takeRequest();
    assertThat(sent(UPSTREAM.takeRequest().json())).hasSize(3);
    thread.say("three");
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .containsExactly(
            "user \"one\"",
            "assistant " + HELLO,
            "user \"two\"",
            "assistant \"Anew.\"",
            "user \"three\"");
  }

  @Test
  void whatIsChangedOrDeletedThroughTheMemoryApiIsSoInTheNextTurn() throws Exception {
    thread.say("one");
    thread.say("two");
    String messages = "/v1/memory/threads/" + id + "/messages";
    String first = thread.rows().get(0).path("id").asText();
    String second = thread.rows().get(1).path("id").asText();
    GATEWAY.send(
        GATEWAY
            .request(messages + "/" + first)
            .method("PATCH", HttpRequest.BodyPublishers.ofString("{\"content\":\"1\"}")));
    GATEWAY.send(GATEWAY.request(messages + "/" + second).DELETE());
    GATEWAY.post(messages, "{\"messages\":[{\"role\":\"user\",\"content\":\"2b\"}]}");
    thread.say("three");
    UPSTREAM.takeRequest();
    UPSTREAM.takeRequest();
    assertThat(sent(UPSTREAM.takeRequest().json()))
        .containsExactly(
            "user \"1\"", "user \"two\"", "assistant " + HELLO, "user \"2b\"", "user \"three\"");
  }

  @Test
  void systemMessagesPassButAreNotStored() throws Exception {
    thread.call(CHAT, chat(message("system", "S1"), message("user", "one")));
    assertThat(thread.stored()).containsExactly("user \"one\"", "assistant " + HELLO);
  }

  @Test
  void contentIsStoredAsItCame() throws Exception {
    UPSTREAM.takingAll("an image with a member of its own");
    String content =
        "[{\"type\":\"text\",\"text\":\"caf\\u00e9\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA==\"},\"n\":1.10}]";
    thread.call(
        CHAT,
        "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":" + content + "}]}");
    assertThat(GATEWAY.get("/v1/memory/threads/" + id + "/messages").body()).contains(content);
  }

  @Test
  void aConversationThatTheUpstreamKeepsPassesUnchangedAndIsStored() throws Exception {
    thread.call(RESPONSES, "{\"model\":\"gpt-5\",\"input\":\"one\",\"store\":true}");
    thread.call(
        RESPONSES,
        "{\"model\":\"gpt-5\",\"input\":\"two\",\"previous_response_id\":\"resp_canned\"}");
    UPSTREAM.takeRequest();
    assertThat(UPSTREAM.takeRequest().text())
        .isEqualTo(
            "{\"model\":\"gpt-5\",\"input\":\"two\",\"previous_response_id\":\"resp_canned\"}");
    assertThat(thread.stored()).hasSize(4);
  }

  @Test
  void aThreadWithoutAResourceIsRefused() throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            GATEWAY
                .request(CHAT)
                .header("Content-Type", "application/json")
                .header("x-thread-id", id)
                .POST(HttpRequest.BodyPublishers.ofString(chat(message("user", "hi")))));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("invalid_request_error", "x-resource-id");
  }

  @Test
  void withoutAThreadTheCallIsPlain() throws Exception {
    HttpResponse<String> answer = GATEWAY.post(CHAT, chat(message("user", "hi")));
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("off");
    HttpResponse<String> resourceAlone =
        GATEWAY.send(
            GATEWAY
                .request(CHAT)
                .header("Content-Type", "application/json")
                .header("x-resource-id", "user-1")
                .POST(HttpRequest.BodyPublishers.ofString(chat(message("user", "hi")))));
    assertThat(resourceAlone.statusCode()).isEqualTo(200);
    assertThat(resourceAlone.headers().firstValue("X-Memory-Status")).hasValue("off");
  }

  @Test
  void theThreadOfAnotherResourceIsNotThere() throws Exception {
    thread.say("mine");
    HttpResponse<String> answer =
        GATEWAY.send(
            GATEWAY
                .request(CHAT)
                .header("Content-Type", "application/json")
                .header("x-thread-id", id)
                .header("x-resource-id", "user-2")
                .POST(HttpRequest.BodyPublishers.ofString(chat(message("user", "hi")))));
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("not_found");
    assertThat(thread.stored()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b/c%2F", "Größe", "🦊"})
  void idsMayHoldAnyCharacters(String name) throws Exception {
    byte[] utf8 = name.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    String body = chat(message("user", "hi"));
    try (var client = new io.memorygateway.testing.RawClient(GATEWAY.port())) {
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nx-thread-id: %s\r\nx-resource-id: u\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
              .formatted(
                  GATEWAY.key(),
                  new String(utf8, java.nio.charset.StandardCharsets.ISO_8859_1),
                  body.length(),
                  body));
      assertThat(client.readAll()).contains("X-Memory-Status: stored");
    }
    assertThat(GATEWAY.get("/v1/memory/threads?resourceId=u").body())
        .contains("\"id\":\"" + name + "\"");
  }

  @Test
  void aBodyWithoutMessagesIsRefused() throws Exception {
    HttpResponse<String> answer = thread.call(CHAT, "{\"model\":\"gpt-5\",\"messages\":\"hi\"}");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("messages must be an array");
  }

  @Test
  void whatIsReadOutCanBePostedAgainAndKeepsItsTypes() throws Exception {
    UPSTREAM.takingAll("messages without content, and with a number");
    String call =
        "{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}";
    thread.call(
        CHAT,
        chat(
            message("user", "one"),
            "{\"role\":\"assistant\",\"content\":null}",
            message("user", "two"),
            "{\"role\":\"assistant\"}",
            message("user", "three"),
            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" + call + "]}",
            "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"r\"}",
            "{\"role\":\"user\",\"content\":5}"));
    JsonNode stored = thread.rows();
    assertThat(stored)
        .extracting(message -> message.path("type").asText())
        .startsWith("text", "text", "text", "text", "text", "tool-call", "tool-result", "mixed");
    List<String> again = new ArrayList<>();
    for (JsonNode message : stored) {
      again.add(
          "{\"role\":%s,\"content\":%s}".formatted(message.get("role"), message.get("content")));
    }
    String copy = id + "-again";
    thread.memory("/threads", "{\"id\":\"" + copy + "\",\"resourceId\":\"user-1\"}");
    HttpResponse<String> answer =
        thread.memory("/threads/" + copy + "/messages", "{\"messages\":" + again + "}");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    JsonNode posted = new ThreadCaller(GATEWAY, copy).rows();
    assertThat(posted)
        .extracting(message -> message.path("content") + " " + message.path("type"))
        .containsExactlyElementsOf(
            stored
                .valueStream()
                .map(message -> message.path("content") + " " + message.path("type"))
                .toList());
  }

  @Test
  void theEndOfAStreamWaitsForTheTurnAndNothingElseDoes() throws Exception {
    try (var connection =
            java.sql.DriverManager.getConnection(
                DATABASE.url(), DATABASE.user(), DATABASE.password());
        var client = new io.memorygateway.testing.RawClient(GATEWAY.port())) {
      thread.say("first");
      connection.setAutoCommit(false);
      connection
          .createStatement()
          .executeQuery(
              "SELECT h.* FROM thread_heads h JOIN projects p ON p.id = h.project_id AND p.name = 'test' WHERE h.public_id = '"
                  + id
                  + "' FOR UPDATE");
      String body = streamedChat(message("user", "second"));
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nx-thread-id: %s\r\nx-resource-id: user-1\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
              .formatted(GATEWAY.key(), id, body.length(), body));
      String shown = client.readUntil("\"usage\":{") + client.readUntil("}}\n\n");
      assertThat(shown).doesNotContain("[DONE]");
      assertThat(thread.stored()).hasSize(2);
      connection.rollback();
      assertThat(client.readAll()).contains("data: [DONE]");
    }
    assertThat(thread.stored()).hasSize(4);
  }
}
