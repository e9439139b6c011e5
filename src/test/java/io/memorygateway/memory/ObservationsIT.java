package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.SharedGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §5: what was observed of a thread. */
class ObservationsIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private static final String OBSERVATIONS = "/threads/t/observations";

  private MemoryClient client;

  @BeforeEach
  void makeAThread() throws IOException, InterruptedException {
    client = MemoryClient.ofNewProject(GATEWAY);
    client.createThread("t", "r");
  }

  @Test
  void ofANewThreadThereAreNone() {
    assertThat(client.get(OBSERVATIONS).is(200).text()).isEqualTo("{\"observations\":null}");
    assertThat(client.get(OBSERVATIONS + "/record").is(200).text()).isEqualTo("{\"record\":null}");
    assertThat(client.get(OBSERVATIONS + "/history").is(200).text())
        .isEqualTo("{\"records\":[],\"total\":0,\"limit\":10,\"offset\":0}");
  }

  @Test
  void theThresholdsOfAThreadAreItsOwn() {
    assertThat(client.patch(OBSERVATIONS + "/config", "{}").is(200).text())
        .isEqualTo("{\"config\":{\"messageTokens\":30000,\"observationTokens\":40000}}");
    assertThat(client.patch(OBSERVATIONS + "/config", "{\"messageTokens\":500}").is(200).text())
        .isEqualTo("{\"config\":{\"messageTokens\":500,\"observationTokens\":40000}}");
    assertThat(client.patch(OBSERVATIONS + "/config", "{\"observationTokens\":600}").is(200).text())
        .isEqualTo("{\"config\":{\"messageTokens\":500,\"observationTokens\":600}}");
    assertThat(client.patch(OBSERVATIONS + "/config", "{\"messageTokens\":null}").is(200).text())
        .isEqualTo("{\"config\":{\"messageTokens\":30000,\"observationTokens\":600}}");
    client.patch("/threads/none/observations/config", "{}").isError(404, "not_found");
  }

  @Test
  void recordsAreShownWithAllTheirFields() throws Exception {
    client.append("t", "this one is observed", "hello world");
    insertRecords();
    JsonNode record = client.get(OBSERVATIONS + "/record").is(200).json().get("record");
    List<String> names = new ArrayList<>();
    record.fieldNames().forEachRemaining(names::add);
    assertThat(names)
        .containsExactlyInAnyOrder(
            "id",
            "scope",
            "threadId",
            "resourceId",
            "createdAt",
            "updatedAt",
            "lastObservedAt",
            "originType",
            "generationCount",
            "activeObservations",
            "totalTokensObserved",
            "observationTokenCount",
            "pendingMessageTokens",
            "isObserving",
            "isReflecting",
            "isBufferingObservation",
            "isBufferingReflection",
            "config",
            "bufferedObservationChunks",
            "bufferedReflection",
            "bufferedReflectionTokens",
            "bufferedReflectionInputTokens");
    assertThat(record.get("scope").asText()).isEqualTo("thread");
    assertThat(record.get("threadId").asText()).isEqualTo("t");
    assertThat(record.get("resourceId").asText()).isEqualTo("r");
    assertThat(record.get("generationCount").asInt()).isEqualTo(2);
    assertThat(record.get("originType").asText()).isEqualTo("reflection");
    assertThat(record.get("activeObservations").asText()).isEqualTo("generation 2");
    assertThat(record.get("lastObservedAt").asText()).isEqualTo("2026-01-03T00:00:00.000Z");
    assertThat(record.get("pendingMessageTokens").asInt())
        .as("tokens of what is not observed")
        .isEqualTo(2);
    assertThat(record.get("config").toString()).isEqualTo("{\"a\":1}");
    assertThat(record.get("bufferedReflection").isNull()).isTrue();
    assertThat(record.get("isBufferingObservation").asBoolean()).isTrue();
    assertThat(record.get("isObserving").asBoolean()).as("a lease that ran out").isFalse();
    JsonNode chunk = record.at("/bufferedObservationChunks/0");
    assertThat(chunk.get("cycleId").asText()).isEqualTo("cycle");
    assertThat(chunk.get("messageIds").toString()).isEqualTo("[\"m\"]");
    assertThat(chunk.get("currentTask").asText()).isEqualTo("tea");
    assertThat(chunk.has("threadTitle")).isFalse();
    assertThat(client.get(OBSERVATIONS).text()).isEqualTo("{\"observations\":\"generation 2\"}");
  }

  @Test
  void historyIsNewestFirstWithTheCurrentOneAndWithinTimes() throws Exception {
    insertRecords();
    assertThat(generations("")).containsExactly(2, 1, 0);
    assertThat(generations("?limit=1&offset=1")).containsExactly(1);
    assertThat(generations("?from=2026-01-02T00:00:00.000Z")).containsExactly(2, 1);
    assertThat(generations("?to=2026-01-02T00:00:00.000Z")).containsExactly(1, 0);
    assertThat(generations("?from=2026-01-02T01:00:00%2B01:00&to=2026-01-02T00:00:00Z"))
        .containsExactly(1);
    JsonNode page =
        client.get(OBSERVATIONS + "/history?limit=500&from=2026-01-02T00:00:00Z").json();
    assertThat(page.get("total").asInt()).isEqualTo(2);
    assertThat(page.get("limit").asInt()).isEqualTo(200);
    assertThat(client.get(OBSERVATIONS + "/history?offset=0" + "9".repeat(30)).is(200).text())
        .isEqualTo("{\"records\":[],\"total\":3,\"limit\":10,\"offset\":" + "9".repeat(30) + "}");
    JsonNode old = client.get(OBSERVATIONS + "/history").json().at("/records/1");
    assertThat(old.get("bufferedObservationChunks")).isEmpty();
    assertThat(old.get("isBufferingObservation").asBoolean()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"from=yesterday", "to=", "limit=0", "offset=x", "from=2026-01-01"})
  void badQueriesAre400(String query) {
    client.get(OBSERVATIONS + "/history?" + query).isError(400, "invalid_request_error");
  }

  @Test
  void ofAnotherResourcesThreadThereIsNothing() {
    for (String path : List.of("", "/record", "/history")) {
      client.get(OBSERVATIONS + path + "?resourceId=r").is(200);
      client.get(OBSERVATIONS + path + "?resourceId=other").isError(404, "not_found");
      client.get("/threads/none/observations" + path).isError(404, "not_found");
    }
  }

  private List<Integer> generations(String query) {
    List<Integer> generations = new ArrayList<>();
    client
        .get(OBSERVATIONS + "/history" + query)
        .is(200)
        .json()
        .get("records")
        .forEach(record -> generations.add(record.get("generationCount").asInt()));
    return generations;
  }

  /** As the observer will leave the thread. */
  private static void insertRecords() throws Exception {
    try (var connection = GATEWAY.database().connect();
        var statement = connection.createStatement()) {
      String newest = "FROM threads WHERE public_id = 't' ORDER BY created_at DESC LIMIT 1";
      for (int generation = 0; generation < 3; generation++) {
        statement.execute(
            """
            INSERT INTO observation_records (thread_id, generation, public_id, origin_type, observations,
              observation_tokens, total_tokens_observed, last_observed_at, config, created_at, updated_at)
            SELECT id, %1$d, UUID(), IF(%1$d = 0, 'initial', 'reflection'), 'generation %1$d', 3, 9,
              '2026-01-0%2$d', '{"a":1}', '2026-01-0%2$d', '2026-01-0%2$d'
            """
                    .formatted(generation, generation + 1)
                + newest);
      }
      statement.execute(
          """
          INSERT INTO observation_states (thread_id, observed_seq, observing_until, buffering_until)
          SELECT id, 0, UTC_TIMESTAMP(3) - INTERVAL 1 MINUTE, UTC_TIMESTAMP(3) + INTERVAL 1 HOUR
          """
              + newest);
      statement.execute(
          """
          INSERT INTO observation_chunks (thread_id, last_seq, public_id, cycle_id, observations, token_count,
            message_ids, message_tokens, current_task, last_observed_at, created_at)
          SELECT id, 4, UUID(), 'cycle', 'x', 1, '["m"]', 1, 'tea', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
          """
              + newest);
    }
  }
}
