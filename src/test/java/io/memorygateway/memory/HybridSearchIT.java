package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.thread;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §11: with {@code search.embeddingModel}, meaning counts as well as words. */
class HybridSearchIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @RegisterExtension
  static final FakeUpstream UPSTREAM = FakeUpstream.start().answer(HybridSearchIT::embeddings);

  @RegisterExtension static final TestGateway GATEWAY = gateway();
  @RegisterExtension static final TestGateway OTHER_NODE = gateway();

  private static final ObjectMapper JSON = new ObjectMapper();

  private MemoryClient client;
  private MemoryClient onOtherNode;

  private static TestGateway gateway() {
    return new TestGateway(DATABASE, UPSTREAM)
        .configured(
            config ->
                config
                    .withObject("/search")
                    .put("embeddingModel", "openai/text-embedding-test")
                    // Longer than a busy machine takes; a search of this test waits for it in vain.
                    .put("embeddingTimeout", "3s"));
  }

  @BeforeEach
  void useAProjectOfItsOwn() throws IOException, InterruptedException {
    UPSTREAM.answer(HybridSearchIT::embeddings);
    String key = GATEWAY.issueKey("p-" + UUID.randomUUID());
    client = new MemoryClient(GATEWAY, key);
    onOtherNode = new MemoryClient(OTHER_NODE, key);
  }

  @Test
  void findsWhatIsMeantOnEveryNode() {
    client.createThread("t", "r");
    say("t", "Good morning.", "She repaired her fiddle herself.", "The weather is nice.");
    String query = "{\"resourceId\":\"r\",\"query\":\"violin\",\"limit\":1}";
    for (MemoryClient node : List.of(client, onOtherNode)) {
      await().until(() -> ranking(node, query).equals("hybrid"));
      JsonNode hit = search(node, query).at("/hits/0");
      assertThat(hit.at("/message/content").asText()).isEqualTo("She repaired her fiddle herself.");
      assertThat(hit.at("/matched")).isEmpty();
      assertThat(hit.at("/score").asDouble()).isPositive();
    }
  }

  @Test
  void aMessageIsFoundByItsWordsAtOnce() {
    client.createThread("t", "r");
    say("t", "The marmot sleeps.");
    assertThat(contents("{\"threadId\":\"t\",\"query\":\"marmot\"}"))
        .containsExactly("The marmot sleeps.");
  }

  @Test
  void filtersHoldForWhatIsMeantAsWell() {
    client.createThread("t", "r");
    say("t", "She repaired her fiddle herself.");
    await()
        .until(() -> ranking(client, "{\"threadId\":\"t\",\"query\":\"violin\"}").equals("hybrid"));
    for (String filter :
        List.of(
            "\"roles\":[\"assistant\"]",
            "\"to\":\"2001-01-01T00:00:00Z\"",
            "\"from\":\"2101-01-01T00:00:00Z\"")) {
      assertThat(contents("{\"threadId\":\"t\",\"query\":\"violin\"," + filter + "}")).isEmpty();
    }
  }

  @Test
  void whatIsDeletedOrChangedIsNotFoundByWhatItMeant() {
    client.createThread("t", "r");
    List<String> ids = say("t", "My fiddle.", "Another fiddle.", "Nice weather.");
    String query = "{\"threadId\":\"t\",\"query\":\"violin\",\"limit\":1}";
    for (MemoryClient node : List.of(client, onOtherNode)) {
      await().until(() -> ranking(node, query).equals("hybrid"));
    }
    client.delete(thread("t") + "/messages/" + ids.get(0)).is(200);
    for (MemoryClient node : List.of(client, onOtherNode)) {
      assertThat(contents(node, query)).containsExactly("Another fiddle.");
    }
    client.patch(thread("t") + "/messages/" + ids.get(1), "{\"content\":\"A railway.\"}").is(200);
    String trains = "{\"threadId\":\"t\",\"query\":\"train\",\"limit\":1}";
    for (MemoryClient node : List.of(client, onOtherNode)) {
      assertThat(contents(node, "{\"threadId\":\"t\",\"query\":\"violin\"}"))
          .as("near nothing any more, and no word of it")
          .doesNotContain("My fiddle.", "Another fiddle.");
      await().until(() -> contents(node, trains).equals(List.of("A railway.")));
    }
  }

  @Test
  void nothingOfAnotherProjectIsCompared() throws Exception {
    client.createThread("t", "r");
    say("t", "She repaired her fiddle herself.");
    String query = "{\"resourceId\":\"r\",\"query\":\"violin\"}";
    await().until(() -> ranking(client, query).equals("hybrid"));
    MemoryClient stranger = new MemoryClient(GATEWAY, GATEWAY.issueKey("p-" + UUID.randomUUID()));
    stranger.createThread("t", "r");
    assertThat(contents(stranger, query)).isEmpty();
  }

  static Stream<Map.Entry<String, Function<JsonNode, Answer>>> faults() {
    return Map.<String, Function<JsonNode, Answer>>of(
        "error",
        request -> Answer.error(500, "server_error", "down"),
        "key refused",
        request -> Answer.error(401, "invalid_api_key", "no"),
        "reset",
        request -> Answer.reset(),
        "not a number",
        request -> Answer.json("{\"data\":[{\"index\":0,\"embedding\":[1,2,3,NaN]}]}"),
        "broken JSON",
        request -> Answer.json("{\"data\":[{\"index\":0,\"embedd"),
        "other dimensions",
        request -> Answer.json("{\"data\":[{\"index\":0,\"embedding\":[1,2,3]}]}"),
        "page",
        request -> Answer.html(200),
        "silence",
        request -> Answer.hang())
        .entrySet()
        .stream();
  }

  @Tag("heavy")
  @ParameterizedTest
  @MethodSource("faults")
  void whileTheProviderFailsWordsAloneCount(Map.Entry<String, Function<JsonNode, Answer>> fault) {
    client.createThread("t", "r");
    say("t", "She repaired her fiddle herself.", "The marmot sleeps.");
    String query = "{\"threadId\":\"t\",\"query\":\"marmot\"}";
    await().until(() -> ranking(client, query).equals("hybrid"));
    UPSTREAM.answer(request -> fault.getValue().apply(request.json()));
    JsonNode answer = search(client, query);
    assertThat(answer.at("/ranking").asText()).isEqualTo("bm25");
    assertThat(answer.at("/hits/0/message/content").asText()).isEqualTo("The marmot sleeps.");
    UPSTREAM.answer(HybridSearchIT::embeddings);
    await().until(() -> ranking(client, query).equals("hybrid"));
  }

  @Test
  void eachMessageIsEmbeddedOnceHoweverManyNodesThereAre() {
    client.createThread("t", "r");
    String[] texts = new String[200];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = "The puppy of number " + i + ".";
    }
    say("t", texts);
    await()
        .until(
            () -> contents("{\"threadId\":\"t\",\"query\":\"dog\",\"limit\":100}").size() == 100);
    List<String> asked = new ArrayList<>();
    for (RecordedRequest request : UPSTREAM.requests()) {
      assertThat(request.path()).isEqualTo("/openai/v1/embeddings");
      assertThat(request.header("Authorization")).isEqualTo("Bearer " + TestGateway.PROVIDER_KEY);
      assertThat(request.json().at("/model").asText()).isEqualTo("text-embedding-test");
      request.json().at("/input").forEach(text -> asked.add(text.asText()));
    }
    assertThat(asked).filteredOn(text -> text.startsWith("The puppy of")).doesNotHaveDuplicates();
  }

  private static Answer embeddings(RecordedRequest request) {
    List<String> data = new ArrayList<>();
    for (JsonNode text : request.json().at("/input")) {
      data.add(
          "{\"object\":\"embedding\",\"index\":%d,\"embedding\":%s}"
              .formatted(data.size(), Arrays.toString(vector(text.asText()))));
    }
    return Answer.json(
        "{\"object\":\"list\",\"data\":[%s],\"usage\":{\"prompt_tokens\":3,\"total_tokens\":3}}"
            .formatted(String.join(",", data)));
  }

  /** Near to one another are texts of one topic, and no others. */
  private static double[] vector(String text) {
    String words = text.toLowerCase(Locale.ROOT);
    double[] vector = new double[5];
    vector[0] = words.contains("violin") || words.contains("fiddle") ? 1 : 0;
    vector[1] = words.contains("dog") || words.contains("puppy") ? 1 : 0;
    vector[2] = words.contains("train") || words.contains("railway") ? 1 : 0;
    boolean other = vector[0] + vector[1] + vector[2] == 0;
    vector[3] = other ? 1 : 0;
    vector[4] = other && words.contains("weather") ? -1 : 0;
    return vector;
  }

  private static String ranking(MemoryClient node, String body) {
    return search(node, body).at("/ranking").asText();
  }

  private static JsonNode search(MemoryClient node, String body) {
    return node.post("/search", body).is(200).json();
  }

  private List<String> contents(String body) {
    return contents(client, body);
  }

  private static List<String> contents(MemoryClient node, String body) {
    List<String> contents = new ArrayList<>();
    for (JsonNode hit : search(node, body).at("/hits")) {
      contents.add(hit.at("/message/content").asText());
    }
    return contents;
  }

  private List<String> say(String threadId, String... texts) {
    ArrayNode messages = JSON.createArrayNode();
    for (String text : texts) {
      messages.addObject().put("role", "user").put("content", text);
    }
    ObjectNode body = JSON.createObjectNode();
    body.set("messages", messages);
    List<String> ids = new ArrayList<>();
    client
        .post(thread(threadId) + "/messages", body.toString())
        .is(201)
        .json()
        .at("/messages")
        .forEach(message -> ids.add(message.at("/id").asText()));
    return ids;
  }
}
