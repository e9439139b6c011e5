package io.memorygateway.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;

/**
 * Threads that are exported from one database and imported into another.
 *
 * @param from the gateway on the first one
 * @param folder for files
 */
record TransferredThreads(
    TestGateway from, TestDatabase database, TestDatabase elsewhere, Path folder) {
  /** A gateway that changes no thread by itself. */
  static TestGateway gateway(TestDatabase database, FakeUpstream upstream) {
    return new TestGateway(database, upstream)
        .configured(config -> config.withObject("/observation").put("workers", 0));
  }

  void make(String id) throws Exception {
    from.post(
        "/v1/memory/threads",
        "{\"id\":\"%s\",\"resourceId\":\"r /\",\"title\":\"T\\n\",\"metadata\":{\"b\":1.10,\"a\":[ 1e5 ]}}"
            .formatted(id));
    String path =
        "/v1/memory/threads/"
            + java.net.URLEncoder.encode(id, java.nio.charset.StandardCharsets.UTF_8)
            + "/messages";
    from.post(
        path,
        "{\"messages\":[{\"id\":\"first\",\"role\":\"user\",\"content\":[ {\"type\":\"text\",\n\"text\":\"a\\u00e4 \\\"q\\\"\",\"n\":1.500}],\"createdAt\":\"2025-01-01T00:00:00.120Z\"}]}");
    StringBuilder many =
        new StringBuilder("{\"messages\":[{\"id\":\"gone\",\"role\":\"user\",\"content\":\"x\"}");
    for (int i = 0; i < 301; i++) {
      many.append(",{\"role\":\"assistant\",\"content\":\"message ").append(i).append("\"}");
    }
    from.post(path, many + "]}");
    from.send(from.request(path + "/gone").DELETE());
    observe(id);
  }

  private void observe(String thread) throws Exception {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      String id = "(SELECT id FROM threads WHERE public_id = '" + thread + "')";
      statement.execute(
          "INSERT INTO observation_records (thread_id, generation, public_id, origin_type, observations, observation_tokens, total_tokens_observed, config, created_at, updated_at) VALUES ("
              + id
              + ", 0, UUID(), 'observation', 'first\n\"line\"', 1, 1, '{}', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))");
      statement.execute(
          "REPLACE INTO observation_states (thread_id, message_tokens, observed_seq, time_marks, time_zone) VALUES ("
              + id
              + ", 5, 1, 1, 'Europe/Berlin')");
      statement.execute(
          "INSERT INTO observation_chunks (thread_id, last_seq, public_id, cycle_id, observations, token_count, message_ids, message_tokens, last_observed_at, created_at) VALUES ("
              + id
              + ", 1, UUID(), 'c', 'x', 1, '[]', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))");
    }
  }

  JsonNode transfer(String id) throws Exception {
    CommandLine.Outcome outcome = importing(export(database, id, "file"), "fail");
    assertThat(outcome.err()).isEmpty();
    return new ObjectMapper().readTree(outcome.out());
  }

  Path export(TestDatabase of, String id, String name) {
    Path file = folder.resolve(name);
    CommandLine.Outcome outcome =
        new CommandLine()
            .with(of)
            .run(
                "thread",
                "export",
                "--project",
                "test",
                "--thread",
                id,
                "--to",
                file.toString(),
                "config.yml");
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out()).isEmpty();
    return file;
  }

  CommandLine.Outcome importing(Path file, String existing) {
    return new CommandLine()
        .with(elsewhere)
        .run(
            "thread",
            "import",
            "--project",
            "test",
            "--existing",
            existing,
            "--from",
            file.toString(),
            "config.yml");
  }
}
