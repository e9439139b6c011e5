package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.dropwizard.jackson.Jackson;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §7: sessions are threads, and what is no part of a conversation stays out of it. */
class SessionsTest {
  private static final ObjectMapper JSON = Jackson.newObjectMapper();
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final String HI = "{\"role\":\"user\",\"content\":\"hi\"}";

  private final ObjectNode shipped;

  SessionsTest() throws IOException {
    shipped = (ObjectNode) YAML.readTree(Path.of("config.yml").toFile()).path("memory");
    shipped.put("sessionThreads", true);
  }

  /** The table that is shipped, on calls as the clients send them; their texts are cut. */
  @TestFactory
  Stream<DynamicTest> everyRecordedCallGoesWhereItBelongs() throws IOException {
    try (InputStream file = SessionsTest.class.getResourceAsStream("/clients/calls.json")) {
      return StreamSupport.stream(JSON.readTree(file).spliterator(), false)
          .map(
              call ->
                  dynamicTest(
                      call.path("name").asText(),
                      () -> {
                        Map<String, String> headers =
                            JSON.convertValue(
                                call.path("headers"), new TypeReference<Map<String, String>>() {});
                        String session =
                            shipped
                                .path("sessions")
                                .valueStream()
                                .map(JsonNode::asText)
                                .filter(headers::containsKey)
                                .map(name -> name + ":" + headers.get(name))
                                .findFirst()
                                .orElse("");
                        String wanted = call.path("thread").asText();
                        assertThat(where(decide(null, headers, call.path("body").toString())))
                            .isEqualTo(session.isEmpty() ? "" : wanted.replace("SESSION", session));
                        assertThat(where(decide("mine", headers, call.path("body").toString())))
                            .isEqualTo(
                                wanted.isEmpty()
                                    ? ""
                                    : "mine" + wanted.replaceAll("^(SESSION|-)", ""));
                      }));
    }
  }

  /** Of the shipped marks, on the same calls. */
  @Test
  void callsThatTheirClientsHaveCompactedAreTold() throws Exception {
    MemoryConfiguration configuration = JSON.treeToValue(shipped, MemoryConfiguration.class);
    try (InputStream file = SessionsTest.class.getResourceAsStream("/clients/calls.json")) {
      assertThat(JSON.readTree(file).valueStream())
          .filteredOn(
              call ->
                  Stream.of("messages", "input")
                      .flatMap(list -> call.path("body").path(list).valueStream())
                      .anyMatch(message -> configuration.isSummary(stored(message))))
          .extracting(call -> call.path("name").asText())
          .containsExactly(
              "Claude Code: a turn after /compact",
              "Claude Code: a step after its own compaction",
              "Codex: a turn after compaction",
              "Codex: a turn after compaction by the provider",
              "LangChain: a turn after its summary",
              "deepagents: a turn after its summary",
              "pi: a turn after its summary",
              "agno: a turn after its summary",
              "Anthropic's tool runner: a step after its summary",
              "Anthropic's tool runner: a step after compaction by the provider",
              "aider: a turn after its summary",
              "crewAI: a step after its summary",
              "crewAI: a step after its structured summary",
              "haystack: a turn after its summary",
              "camel: a turn after its summary",
              "goose: a turn after its summary",
              "Roo Code: a turn after its summary",
              "Cline: a turn after its summary");
    }
    for (String summary :
        List.of(
            "{\"type\":\"compaction\",\"encrypted_content\":\"e\"}",
            "{\"role\":\"assistant\",\"content\":[{\"type\":\"compaction\",\"content\":\"c\"}]}",
            "{\"role\":\"user\",\"content\":\"What did we do so far?\"}",
            "{\"role\":\"assistant\",\"content\":\"Got it. Thanks for the additional context!\"}",
            "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"<system-reminder>\"},"
                + "{\"type\":\"text\",\"text\":\"<state_snapshot>x</state_snapshot>\"}]}")) {
      assertThat(configuration.isSummary(stored(JSON.readTree(summary)))).as(summary).isTrue();
    }
  }

  private static StoredMessage stored(JsonNode message) {
    JsonValue json = JsonValue.of(message.toString());
    return message.has("role")
        ? StoredMessage.ofMessage(json, Shape.MESSAGES)
        : StoredMessage.of("user", json);
  }

  /** Beginnings of what clients ask beside, from their sources. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "[SUGGESTION MODE: Suggest what the user might naturally type next into Claude Code.]",
        "[SUGGESTION MODE: Suggest what the user might naturally type next.]",
        "The user stepped away and is coming back. Recap in under 40 words, 1-2 plain sentences",
        "You are now acting as the memory extraction subagent. Analyze the most recent ~8 messages",
        "You are the component that summarizes a conversation when its context window is about to",
        "<system>No tool call detected in last message. Did you mean to finish?",
        "Are you sure? If you're finished, use the `complete` tool to end the session.",
      })
  void whatLooksAtTheConversationReadsItsThreadAndIsNotStored(String words) throws Exception {
    MemoryRequest decided =
        decide("mine", Map.of("x-claude-code-session-id", "s"), body(HI, user(words)));
    assertThat(where(decided)).isEqualTo("mine read");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Your task is to create a detailed summary of this conversation. This summary will be",
        "Your task is to create a detailed summary of the conversation so far, paying close",
      })
  void ofWhatAsksForASummaryTheWordsBeforeItAreStored(String words) throws Exception {
    MemoryRequest decided =
        decide("mine", Map.of("x-claude-code-session-id", "s"), body(HI, user(words)));
    assertThat(where(decided)).isEqualTo("mine summary");
    assertThat(decided.question()).satisfies(mark -> assertThat(words).startsWith(mark));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\nWeb page content:\n---\n<html>",
        "Perform a web search for the query: weather in Rome",
        "Analyze *only* the content and structure of your immediately preceding response (your last"
      })
  void whatDoesNotHasNoMemory(String words) throws Exception {
    assertThat(
            where(decide("mine", Map.of("x-claude-code-session-id", "s"), body(HI, user(words)))))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Generate concise conversation titles.",
        "Analyze if this message indicates a new conversation topic. If it does, extract a 2-3 word",
        "You generate session recaps for a programming assistant CLI.",
        "You are a general-purpose subagent working for a parent agent. Complete only the assigned",
        "You are performing a managed memory dream \u2014 a reflective pass over durable memory",
        "You are reviewing this conversation to extract reusable skills.",
        "You are a file search specialist agent. You excel at thoroughly navigating",
        "You are a subagent spawned by a workflow orchestration script. Use the tools available",
        "You are a context summarization agent. You are given a conversation"
      })
  void norHaveCallsOfSuchSystemPromptsInAnyFormat(String words) throws Exception {
    String system = JSON.writeValueAsString(words);
    for (String body :
        List.of(
            body("{\"role\":\"system\",\"content\":" + system + "}", HI),
            "{\"model\":\"m\",\"messages\":[" + HI + "],\"system\":" + system + "}",
            "{\"model\":\"m\",\"system\":[{\"type\":\"text\",\"text\":\"first\"},"
                + "{\"text\":"
                + system
                + ",\"type\":\"text\"}],\"messages\":["
                + HI
                + "]}",
            "{\"model\":\"m\",\"input\":\"hi\",\"instructions\":" + system + "}",
            "{\"model\":\"m\",\"input\":[{\"content\":[{\"type\":\"input_text\",\"text\":"
                + system
                + "}],\"role\":\"developer\"},"
                + HI
                + "]}")) {
      assertThat(where(decide("mine", Map.of(), body))).as(body).isEmpty();
    }
  }

  /** An application's own prompts that only begin like those. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "You are an expert software engineer that generates concise, tested code. | hi",
        "You are a precise assistant that creates structured summaries of reports. | hi",
        "You are a helpful assistant that summarizes conversations | Summarize the conversation below. It is short."
      })
  void whatOnlyBeginsSoIsATurn(String system, String user) throws Exception {
    String prompt = "{\"role\":\"system\",\"content\":" + JSON.writeValueAsString(system) + "}";
    assertThat(where(decide("mine", Map.of(), body(prompt, user(user))))).isEqualTo("mine");
  }

  @ParameterizedTest
  @CsvSource({
    "x-claude-code-agent-id, x-claude-code-agent-id, mine:a-1",
    "x-codex-parent-thread-id, thread-id, mine:a-1",
    "x-openai-subagent, thread-id, mine:a-1", // a review has no parent
    "x-parent-session-id, x-session-id, mine:a-1",
    "x-parent-session-id, x-other, ''"
  })
  void aSubAgentHasAThreadOfItsOwn(String mark, String name, String thread) throws Exception {
    Map<String, String> headers =
        mark.equals(name) ? Map.of(name, "a-1") : Map.of(mark, "parent", name, "a-1");
    assertThat(where(decide("mine", headers, body(HI)))).isEqualTo(thread);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " "})
  void aBlankNameOfASubAgentIsNone(String name) throws Exception {
    Map<String, String> headers = Map.of("x-claude-code-agent-id", name);
    assertThat(where(decide("mine", headers, body(HI)))).isEqualTo("mine");
  }

  @Test
  void aNameOfASubAgentThatIsTooLongIsSaidToBe() throws Exception {
    Map<String, String> headers = Map.of("x-claude-code-agent-id", "a".repeat(250));
    assertThat(where(decide("mine", headers, body(HI)))).endsWith("a");
    assertThatThrownBy(() -> decide("my-thread", headers, body(HI)))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("x-claude-code-agent-id");
    assertThatThrownBy(() -> decide("m".repeat(256), headers, body(HI)))
        .isInstanceOf(ApiException.class)
        .hasMessageStartingWith("x-thread-id must");
  }

  @Test
  void whatASubAgentAsksAsideIsOfItsOwnThreadOrOfNone() throws Exception {
    Map<String, String> claude =
        Map.of("x-claude-code-session-id", "s", "x-claude-code-agent-id", "a-1");
    Map<String, String> codex = Map.of("x-codex-parent-thread-id", "p", "thread-id", "a-1");
    String respond = user("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools. Summarise");
    String checkpoint = user("You are performing a CONTEXT CHECKPOINT COMPACTION. Create");
    assertThat(where(decide("mine", claude, body(HI, respond)))).isEqualTo("mine:a-1 summary");
    assertThat(where(decide("mine", codex, body(HI, checkpoint)))).isEqualTo("mine:a-1 summary");
    assertThat(where(decide(null, codex, body(HI, checkpoint)))).isEqualTo("thread-id:a-1 summary");
    String trigger = "{\"model\":\"m\",\"input\":[" + HI + ",{\"type\":\"compaction_trigger\"}]}";
    assertThat(where(decide("mine", codex, trigger))).isEqualTo("mine:a-1 summary");
    assertThat(where(decide("mine", claude, body(HI, user("Web page content:"))))).isEmpty();
    Map<String, String> nameless = Map.of("x-codex-parent-thread-id", "p");
    assertThat(where(decide("mine", nameless, body(HI, checkpoint)))).isEmpty();
  }

  @Test
  void aMemberOfThatNameAsksForASummaryInMessagesAlone() throws Exception {
    String call = "{\"model\":\"m\",\"compaction\":{\"type\":\"%s\"},\"messages\":[" + HI + "]}";
    String asking = call.formatted("summarize");
    assertThat(where(decide("mine", Map.of(), asking))).isEqualTo("mine summary");
    assertThat(where(decide("mine", Map.of(), call.formatted("auto")))).isEqualTo("mine");
    assertThat(where(decide("/v1/chat/completions?", "mine", Map.of(), asking))).isEqualTo("mine");
  }

  @Test
  void whatCodexDoesForItsOwnMemoryHasNone() throws Exception {
    Map<String, String> headers = Map.of("x-openai-memgen-request", "true", "thread-id", "t");
    assertThat(where(decide("mine", headers, body(HI)))).isEmpty();
    assertThat(where(decide(null, headers, body(HI)))).isEmpty();
  }

  @Test
  void aSubAgentWhoseSessionIsItsOwnHasThatThread() throws Exception {
    assertThat(
            where(decide(null, Map.of("x-parent-session-id", "p", "x-session-id", "c"), body(HI))))
        .isEqualTo("x-session-id:c");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // The user's own words, whatever they quote.
        "What does \"Your task is to create a detailed summary of\" mean?",
        "Tell me of compaction. You are performing a CONTEXT CHECKPOINT COMPACTION."
      })
  void whatTheUserSaysIsPartOfTheConversation(String words) throws Exception {
    assertThat(
            where(decide("mine", Map.of("x-claude-code-session-id", "s"), body(user(words), HI))))
        .isEqualTo("mine");
    assertThat(where(decide("mine", Map.of("x-claude-code-session-id", "s"), body(user(words)))))
        .isEqualTo("mine");
  }

  @Test
  void aMarkHoldsThroughTheStepsOfItsTools() throws Exception {
    String keeper = user("You are now acting as the memory extraction subagent. Analyze");
    String call = "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t\"}]}";
    String result =
        "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\"}]}";
    assertThat(where(decide("mine", Map.of(), body(HI, keeper, call, result))))
        .isEqualTo("mine read");
  }

  @Test
  void theFirstSessionThatIsNamedCounts() throws Exception {
    Map<String, String> both = Map.of("session-id", "s", "thread-id", "t");
    assertThat(where(decide(null, both, body(HI)))).isEqualTo("thread-id:t");
    assertThat(where(decide("auto", both, body(HI)))).isEqualTo("thread-id:t");
    assertThat(where(decide("mine", both, body(HI)))).isEqualTo("mine");
    shipped.put("sessionThreads", false);
    assertThat(where(decide(null, both, body(HI)))).isEmpty();
    assertThat(where(decide("auto", both, body(HI)))).isEqualTo("thread-id:t");
  }

  @Test
  void theKeyOfThePromptCacheIsASessionIfItIsListed() throws Exception {
    String body = "{\"model\":\"m\",\"input\":\"hi\",\"prompt_cache_key\":\"k\"}";
    assertThat(where(decide(null, Map.of(), body))).isEmpty();
    shipped.withArray("sessions").add("prompt_cache_key");
    assertThat(where(decide(null, Map.of(), body))).isEqualTo("prompt_cache_key:k");
    assertThat(where(decide(null, Map.of("x-session-id", "s"), body))).isEqualTo("x-session-id:s");
    assertThat(where(decide(null, Map.of(), body.replace("\"k\"", "7")))).isEmpty();
  }

  @Test
  void withoutASessionThereIsNoThreadAndWhoAsksForOneIsTold() throws Exception {
    assertThat(where(decide(null, Map.of("x-session-id", " "), body(HI)))).isEmpty();
    assertThatThrownBy(() -> decide("auto", Map.of("x-session-id", " "), body(HI)))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().status()).isEqualTo(400);
              assertThat(e.error().message())
                  .contains("x-thread-id: auto")
                  .contains("x-claude-code-session-id, thread-id, session-id, x-session-id");
            });
  }

  @Test
  void aSessionIsAnId() {
    assertThat(List.of("s".repeat(255), "a\tb"))
        .allSatisfy(
            value ->
                assertThatThrownBy(() -> decide(null, Map.of("x-session-id", value), body(HI)))
                    .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> {
                          assertThat(e.error().status()).isEqualTo(400);
                          assertThat(e.error().message()).startsWith("x-session-id");
                        }));
  }

  @Test
  void whatIsLookedAtIsBounded() throws Exception {
    String mark =
        "{\"type\":\"text\",\"text\":\"[SUGGESTION MODE: Suggest what the user might"
            + " naturally type next\"}";
    String part = "{\"type\":\"text\",\"text\":\"x\"}";
    assertThat(where(decide("mine", Map.of(), body(parts(mark + ("," + part).repeat(15))))))
        .isEqualTo("mine read");
    assertThat(where(decide("mine", Map.of(), body(parts(mark + ("," + part).repeat(16))))))
        .isEqualTo("mine");
    String answer = ",{\"role\":\"assistant\",\"content\":\"x\"}";
    assertThat(where(decide("mine", Map.of(), body(parts(mark) + answer.repeat(15)))))
        .isEqualTo("mine read");
    assertThat(where(decide("mine", Map.of(), body(parts(mark) + answer.repeat(16)))))
        .isEqualTo("mine");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"thread\":\"read\"}",
        "{\"user\":\" \"}",
        "{\"system\":\"\"}",
      })
  void aMarkSaysByWhatACallIsKnown(String mark) {
    assertThatThrownBy(() -> JSON.readValue(mark, SideCall.class))
        .hasMessageContaining("memory.sideCalls");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"sessions\":[\"Authorization\"]}",
        "{\"sessions\":[\"x-session-id\",\"x-api-key\"]}",
      })
  void aSettingThatWouldStoreAKeyIsRefused(String settings) {
    assertThatThrownBy(() -> JSON.readValue(settings, MemoryConfiguration.class))
        .hasMessageContaining("memory.sessions");
  }

  private MemoryRequest decide(String thread, Map<String, String> headers, String body)
      throws Exception {
    return decide("/v1/messages?", thread, headers, body);
  }

  private MemoryRequest decide(
      String target, String thread, Map<String, String> headers, String body) throws Exception {
    MemoryRequest named =
        new MemoryRequest(
            thread, "user-1", null, false, target, Duration.ZERO, true, null, false, true);
    return new Sessions(JSON.treeToValue(shipped, MemoryConfiguration.class))
        .decide(named, headers::get, RequestBody.parse(body.getBytes(StandardCharsets.UTF_8)));
  }

  /** The thread, and whether it is only read or summed up; empty: no memory. */
  private static String where(MemoryRequest decided) {
    String kept = decided.stored() ? "" : decided.question() == null ? " read" : " summary";
    return decided.threadId() == null ? "" : decided.threadId() + kept;
  }

  private static String body(String... messages) {
    return "{\"model\":\"m\",\"messages\":[" + String.join(",", messages) + "]}";
  }

  private static String user(String text) throws IOException {
    return "{\"role\":\"user\",\"content\":" + JSON.writeValueAsString(text) + "}";
  }

  private static String parts(String parts) {
    return "{\"role\":\"user\",\"content\":[" + parts + "]}";
  }
}
