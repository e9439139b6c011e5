package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.thread;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.memory.MemoryClient.Reply;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §11: search in the messages of a thread or a resource. */
class SearchIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = node();
  @RegisterExtension static final TestGateway OTHER_NODE = node();

  private static final ObjectMapper JSON = new ObjectMapper();

  private MemoryClient client;
  private MemoryClient onOtherNode;

  @BeforeEach
  void useAProjectOfItsOwn() throws IOException, InterruptedException {
    String key = GATEWAY.issueKey("p-" + java.util.UUID.randomUUID());
    client = new MemoryClient(GATEWAY, key);
    onOtherNode = new MemoryClient(OTHER_NODE, key);
  }

  @Test
  void findsMessagesOfAThreadWithTheirNeighbours() {
    client.post("/threads", "{\"id\":\"t\",\"resourceId\":\"r\",\"title\":\"Music\"}").is(201);
    say("t", "Morning!", "What do you play?", "I play the cello.", "Nice.", "Bye.");
    JsonNode answer = search("{\"threadId\":\"t\",\"query\":\"cellos\",\"limit\":1,\"context\":1}");
    assertThat(answer.at("/ranking").asText()).isEqualTo("bm25");
    assertThat(answer.at("/truncated").asBoolean(true)).isFalse();
    JsonNode hit = answer.at("/hits/0");
    assertThat(hit.at("/message/content").asText()).isEqualTo("I play the cello.");
    assertThat(hit.at("/message/threadId").asText()).isEqualTo("t");
    assertThat(hit.at("/thread").toString()).isEqualTo("{\"id\":\"t\",\"title\":\"Music\"}");
    assertThat(hit.at("/matched").toString()).isEqualTo("[\"cellos\"]");
    assertThat(hit.at("/score").asDouble()).isPositive();
    assertThat(hit.at("/before/0/content").asText()).isEqualTo("What do you play?");
    assertThat(hit.at("/after/0/content").asText()).isEqualTo("Nice.");
    assertThat(hit.at("/before").size() + hit.at("/after").size()).isEqualTo(2);
  }

  @Test
  void findsMessagesOfAllThreadsOfAResource() {
    for (int i = 0; i < 300; i++) {
      client.createThread("t" + i, i % 2 == 0 ? "even" : "odd");
      say("t" + i, "number " + i, i % 50 == 0 ? "the marmot of " + i : "nothing");
    }
    assertThat(contents("{\"resourceId\":\"even\",\"query\":\"marmot\",\"limit\":100}"))
        .contains("the marmot of 0", "the marmot of 250")
        .filteredOn(content -> content.contains("marmot"))
        .hasSize(6);
    assertThat(contents("{\"resourceId\":\"odd\",\"query\":\"marmot\"}")).isEmpty();
    assertThat(contents("{\"resourceId\":\"nobody\",\"query\":\"marmot\"}")).isEmpty();
  }

  /** Both are asked first, so that both nodes have the thread in their caches. */
  @Test
  void findsOnEveryNodeWhatWasStoredAndNeverWhatWasDeleted() {
    client.createThread("t", "r");
    List<String> ids = say("t", "I like tea.", "I like the violin.", "I like coffee.");
    String query = "{\"resourceId\":\"r\",\"query\":\"violin\"}";
    assertThat(contents(client, query)).contains("I like the violin.");
    assertThat(contents(onOtherNode, query)).contains("I like the violin.");

    say("t", "A second violin.");
    assertThat(contents(client, query)).contains("A second violin.");
    assertThat(contents(onOtherNode, query)).contains("A second violin.");

    String message = thread("t") + "/messages/" + ids.get(1);
    client.patch(message, "{\"content\":\"I like the trombone.\"}").is(200);
    for (MemoryClient node : List.of(client, onOtherNode)) {
      assertThat(contents(node, query)).doesNotContain("I like the violin.");
      assertThat(contents(node, "{\"resourceId\":\"r\",\"query\":\"trombone\",\"limit\":1}"))
          .containsExactly("I like the trombone.");
    }

    client.delete(message).is(200);
    for (MemoryClient node : List.of(client, onOtherNode)) {
      assertThat(contents(node, "{\"resourceId\":\"r\",\"query\":\"trombone\"}"))
          .doesNotContain("I like the trombone.");
    }

    client.delete(thread("t")).is(200);
    for (MemoryClient node : List.of(client, onOtherNode)) {
      assertThat(contents(node, query)).isEmpty();
      node.post("/search", "{\"threadId\":\"t\",\"query\":\"violin\"}").isError(404, "not_found");
    }
  }

  /** Neither it nor its neighbours are found by it. */
  @Test
  void whatWasDeletedHasNoPartInASearch() {
    client.createThread("t", "r");
    List<String> best = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      best.addAll(say("t", "violin violin violin"));
    }
    for (int i = 0; i < 12; i++) {
      sayMany("t", 80, "The weather of day " + i + " was nice, and so on.");
    }
    say("t", "There was some talk about a violin, long ago, in the old house by the river.");
    String query = "{\"threadId\":\"t\",\"query\":\"violin\",\"limit\":3}";
    assertThat(contents(query)).containsOnly("violin violin violin");
    client
        .send(
            "DELETE",
            thread("t") + "/messages",
            MemoryClient.bytes("{\"messageIds\":" + JSON.valueToTree(best) + "}"))
        .is(200);
    assertThat(contents(query))
        .singleElement()
        .asString()
        .startsWith("There was some talk about a violin");
  }

  @Test
  void nothingOfAnotherProjectOrResourceIsFound() throws Exception {
    client.createThread("t", "r");
    say("t", "The violin of the first project.");
    MemoryClient stranger = MemoryClient.ofNewProject(GATEWAY);
    assertThat(contents(stranger, "{\"resourceId\":\"r\",\"query\":\"violin\"}")).isEmpty();
    stranger.post("/search", "{\"threadId\":\"t\",\"query\":\"violin\"}").isError(404, "not_found");
    stranger.createThread("t", "r");
    assertThat(contents(stranger, "{\"threadId\":\"t\",\"query\":\"violin\"}")).isEmpty();
    client
        .post("/search", "{\"threadId\":\"t\",\"resourceId\":\"x\",\"query\":\"violin\"}")
        .isError(404, "not_found");
    assertThat(contents("{\"threadId\":\"t\",\"resourceId\":\"r\",\"query\":\"violin\"}"))
        .hasSize(1);
  }

  @Test
  void hitsAreOfTheRolesAndTimesThatWereAskedFor() {
    client.createThread("t", "r");
    ArrayNode messages = JSON.createArrayNode();
    for (int day = 1; day <= 4; day++) {
      messages
          .addObject()
          .put("role", day % 2 == 0 ? "assistant" : "user")
          .put("content", "A violin on day " + day)
          .put("createdAt", "2026-11-0" + day + "T12:00:00.000Z");
    }
    post("t", messages);
    String query = "{\"threadId\":\"t\",\"query\":\"violin\",";
    assertThat(contents(query + "\"roles\":[\"assistant\"]}"))
        .containsExactlyInAnyOrder("A violin on day 2", "A violin on day 4");
    assertThat(
            contents(
                query
                    + "\"from\":\"2026-11-02T12:00:00.000Z\",\"to\":\"2026-11-03T12:00:00.000Z\"}"))
        .containsExactlyInAnyOrder("A violin on day 2", "A violin on day 3");
    assertThat(contents(query + "\"from\":\"2026-11-05T00:00:00Z\"}")).isEmpty();
    assertThat(contents(query + "\"roles\":[\"tool\",\"system\",\"developer\"]}")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "我昨天在东京买了一把小提琴, 小提琴",
    "私は東京でバイオリンを買いました, バイオリン",
    "ฉันซื้อไวโอลินในกรุงเทพ, ไวโอลิน",
    "اشتريت كمانا جديدا في القاهرة, القاهرة",
    "Я купила скрипку в Москве, скрипку",
    "나는 서울에서 바이올린을 샀다, 바이올린",
    "Я слушаю скрипку и всё пою, скрипка",
    "Мы всё ещё едем, еще",
    "هذه القهوة لذيذة, قهوة",
    "مُحَمَّد يعزف, محمد",
    "Παίζω βιολί στα γράμματα, γραμματα",
    "L’avion est parti sans nous, avion",
    "Parlo dell'acqua, acqua",
    "Cafe\u0301 Musik, café",
    "ﾊﾞｲｵﾘﾝ です, バイオリン",
    "मैंने दिल्ली में वायलिन खरीदा, वायलिन",
    "קניתי כינור בתל אביב, כינור"
  })
  void findsWordsOfAnyScript(String text, String query) {
    assertFinds(text, query);
  }

  @ParameterizedTest
  @CsvSource({
    "It stands in config.yml now, config",
    "It stands in config.yml now, config.yml",
    "Then foo_bar.baz() returns, foo_bar",
    "Then foo_bar.baz() returns, baz",
    "Use std::move here, move",
    "'It cost 12,500 crowns', 12500"
  })
  void findsPartsOfNamesAndNumbersHoweverTheyAreGrouped(String text, String query) {
    assertFinds(text, query);
  }

  private void assertFinds(String text, String query) {
    client.createThread("t", "r");
    say("t", "Nothing here.", "Nothing there.", "Nor here.", text, "Else nothing.");
    assertThat(contents("{\"threadId\":\"t\",\"query\":\"" + query + "\",\"limit\":1}"))
        .containsExactly(text);
  }

  @Test
  void findsWhatToolsWereGivenAndGave() {
    client.createThread("t", "r");
    ArrayNode messages = JSON.createArrayNode();
    messages
        .addObject()
        .put("role", "assistant")
        .putArray("content")
        .addObject()
        .put("type", "tool_use")
        .put("id", "call-1")
        .put("name", "find_hotel")
        .putObject("input")
        .put("city", "Ouagadougou");
    messages.addObject().put("role", "user").put("content", "And then?");
    post("t", messages);
    assertThat(search("{\"threadId\":\"t\",\"query\":\"ouagadougou\",\"limit\":1}").toString())
        .contains("find_hotel");
  }

  /** The largest that one body takes: its beginning is indexed, and it is shown whole. */
  @Tag("heavy")
  @Test
  void aHugeMessageIsFoundByItsBeginning() {
    client.createThread("t", "r");
    String huge = "The violin begins. " + "Some more words follow. ".repeat(800_000);
    say("t", "Before.", huge, "After.");
    JsonNode answer = search("{\"threadId\":\"t\",\"query\":\"violin\",\"limit\":5,\"context\":3}");
    assertThat(answer.at("/hits").size()).isEqualTo(1);
    assertThat(answer.at("/hits/0/message/content").asText()).isEqualTo(huge);
    assertThat(answer.at("/hits/0/before").size()).as("they fit no more").isZero();
    assertThat(contents("{\"threadId\":\"t\",\"query\":\"before\",\"limit\":1}"))
        .containsExactly("Before.");
  }

  @Tag("heavy")
  @Test
  void manyLargeHitsEndTheAnswerBeforeItIsLarger() {
    client.createThread("t", "r");
    for (int i = 0; i < 12; i++) {
      say("t", "violin " + i + " " + "x".repeat(2 << 20));
    }
    Reply reply = client.post("/search", "{\"threadId\":\"t\",\"query\":\"violin\",\"limit\":12}");
    assertThat(reply.is(200).text().length()).isBetween(12 << 20, 17 << 20);
  }

  /** Its neighbours are left out instead, on the side where they do not fit. */
  @Tag("heavy")
  @Test
  void noHitIsLeftOutForALargeNeighbour() {
    client.createThread("t", "r");
    say("t", "x".repeat(17 << 20));
    say("t", "A violin.", "A violin again.", "Nothing.", "Nothing more.");
    JsonNode hits = search("{\"threadId\":\"t\",\"query\":\"violin\",\"context\":3}").at("/hits");
    assertThat(hits.findValuesAsText("matched")).hasSize(2);
    for (JsonNode hit : hits) {
      boolean first = hit.at("/message/content").asText().equals("A violin.");
      assertThat(hit.at("/before")).hasSize(first ? 0 : 1);
      assertThat(hit.at("/after")).hasSize(first ? 3 : 2);
    }
  }

  @Tag("heavy")
  @Test
  void noHitIsLeftOutForALargerOneThatIsBetter() {
    client.createThread("t", "r");
    for (int i = 0; i < 3; i++) {
      say("t", "violin ".repeat(15_000) + "x".repeat(9 << 20), "Nothing.");
    }
    say("t", "There was some talk about a violin, long ago, in the old house by the river.");
    assertThat(contents("{\"threadId\":\"t\",\"query\":\"violin\"}"))
        .hasSize(2)
        .last()
        .asString()
        .startsWith("There was some talk");
  }

  @Test
  void aSearchCountsAsReading() {
    client.createThread("t", "r");
    Reply reply = client.post("/search", "{\"threadId\":\"t\",\"query\":\"x\"}").is(200);
    assertThat(reply.http().headers().firstValue("X-RateLimit-Scope")).hasValue("memory_read");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{\"threadId\":\"t\"}",
        "{\"threadId\":\"t\",\"query\":\"\"}",
        "{\"threadId\":\"t\",\"query\":\" \\n \"}",
        "{\"threadId\":\"t\",\"query\":null}",
        "{\"threadId\":\"t\",\"query\":7}",
        "{\"query\":\"x\"}",
        "{\"query\":\"x\",\"threadId\":null,\"resourceId\":null}",
        "{\"query\":\"x\",\"threadId\":\"\"}",
        "{\"query\":\"x\",\"resourceId\":7}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"limit\":0}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"limit\":101}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"limit\":1.5}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"limit\":\"5\"}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"context\":-1}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"context\":4}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"roles\":[]}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"roles\":[\"nobody\"]}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"roles\":[1]}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"roles\":\"user\"}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"from\":\"yesterday\"}",
        "{\"query\":\"x\",\"threadId\":\"t\",\"to\":1}",
        "{\"query\":\"x\",\"query\":\"y\",\"threadId\":\"t\"}"
      })
  void whatIsInvalidIsRefused(String body) {
    client.createThread("t", "r");
    client.post("/search", body).isError(400, "invalid_request_error");
  }

  @Test
  void aQueryMayBeLongButNotEndless() {
    client.createThread("t", "r");
    say("t", "The violin.");
    String words = "violin word ".repeat(800);
    assertThat(contents("{\"threadId\":\"t\",\"query\":\"" + words + "\"}"))
        .containsExactly("The violin.");
    client
        .post("/search", "{\"threadId\":\"t\",\"query\":\"" + "violin ".repeat(1_500_000) + "\"}")
        .isError(400, "invalid_request_error");
  }

  @ParameterizedTest
  @ValueSource(strings = {"… !?", "\\u0001", "the of and", "🎻", "x OR 1=1 --", "\\\" ( ) * +"})
  void anOddQueryIsAnsweredLikeAnyOther(String query) {
    client.createThread("t", "r");
    say("t", "The violin of the house and the garden.");
    search("{\"threadId\":\"t\",\"query\":\"" + query + "\",\"unknown\":{\"a\":[]}}");
  }

  @Test
  void supersededAndIncompleteMessagesAreMarkedAsInLists() throws Exception {
    client.createThread("t", "r");
    List<String> ids = say("t", "The violin.", "The cello.");
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      statement.executeUpdate(
          "UPDATE messages SET superseded = 1 WHERE public_id = '" + ids.get(0) + "'");
      statement.executeUpdate(
          "UPDATE messages SET incomplete = 1 WHERE public_id = '" + ids.get(1) + "'");
    }
    JsonNode hits =
        search("{\"threadId\":\"t\",\"query\":\"violin cello\",\"limit\":2}").at("/hits");
    assertThat(hits).hasSize(2);
    for (JsonNode hit : hits) {
      boolean violin = hit.at("/message/content").asText().equals("The violin.");
      assertThat(hit.at("/message/superseded").asBoolean()).isEqualTo(violin);
      assertThat(hit.at("/message/incomplete").asBoolean()).isEqualTo(!violin);
    }
  }

  /** It does not observe: for messages as large as these, that takes longer than the tests. */
  private static TestGateway node() {
    return new TestGateway(DATABASE, UPSTREAM)
        .configured(config -> config.withObject("/observation").put("workers", 0));
  }

  private JsonNode search(String body) {
    return client.post("/search", body).is(200).json();
  }

  private List<String> contents(String body) {
    return contents(client, body);
  }

  private static List<String> contents(MemoryClient node, String body) {
    List<String> contents = new ArrayList<>();
    for (JsonNode hit : node.post("/search", body).is(200).json().at("/hits")) {
      contents.add(hit.at("/message/content").asText());
    }
    return contents;
  }

  private List<String> say(String threadId, String... texts) {
    ArrayNode messages = JSON.createArrayNode();
    for (String text : texts) {
      messages.addObject().put("role", "user").put("content", text);
    }
    return post(threadId, messages);
  }

  private void sayMany(String threadId, int count, String text) {
    ArrayNode messages = JSON.createArrayNode();
    for (int i = 0; i < count; i++) {
      messages.addObject().put("role", "user").put("content", text);
    }
    post(threadId, messages);
  }

  private List<String> post(String threadId, ArrayNode messages) {
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
