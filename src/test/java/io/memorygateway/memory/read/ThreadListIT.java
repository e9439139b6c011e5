package io.memorygateway.memory.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.MemoryClient;
import io.memorygateway.memory.rows.Page;
import io.memorygateway.memory.rows.ThreadRow;
import io.memorygateway.testing.SharedGateway;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §5: long lists of threads, page by page. */
class ThreadListIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private MemoryClient client;

  @BeforeEach
  void useAProjectOfItsOwn() throws IOException, InterruptedException {
    client = MemoryClient.ofNewProject(GATEWAY);
  }

  /** Once, so that it is read again; and each time, so that it is read in a transaction. */
  @ParameterizedTest
  @ValueSource(ints = {1, 9})
  void aListThatGrowsWhileItIsReadShowsOneStateOfIt(int times) throws Exception {
    fill();
    List<String> created = new ArrayList<>();
    Jdbi jdbi =
        Jdbi.create(
            () ->
                beforeEachPage(
                    GATEWAY.database().connect(),
                    () -> {
                      if (created.size() < times) {
                        created.add("new-" + created.size());
                        client.createThread(created.get(created.size() - 1), "r");
                      }
                    }));
    Transactions transactions = new Transactions(jdbi, new Random(1), new PrometheusRegistry());
    Caller caller = new Caller(1, projectId(), "p", "p", "mg", Map.of());
    ThreadList.Listed listed =
        new ThreadList(transactions).list(caller, null, new Page(50, 1100), bytes -> {});
    // New threads come first; what was created last was not seen in the transaction.
    int unseen = times == 1 ? 0 : 1;
    assertThat(created).hasSize(times == 1 ? 1 : 4);
    assertThat(listed.total()).isEqualTo(1200 + created.size() - unseen);
    assertThat(listed.threads().stream().map(ThreadRow::publicId).toList())
        .hasSize(50)
        .isEqualTo(ids("/threads?limit=50&offset=" + (1100 + unseen)));
  }

  private static Connection beforeEachPage(Connection connection, Runnable work) {
    return (Connection)
        Proxy.newProxyInstance(
            ThreadListIT.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && arguments[0].equals(ThreadPageQuery.OF_PROJECT_FROM_THE_END)) {
                work.run();
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static long projectId() throws SQLException {
    try (var connection = GATEWAY.database().connect();
        var row =
            connection
                .createStatement()
                .executeQuery("SELECT id FROM projects ORDER BY created_at DESC LIMIT 1")) {
      row.next();
      return row.getLong(1);
    }
  }

  /** 1,200 threads. */
  private static void fill() throws SQLException {
    long project = projectId();
    try (var connection = GATEWAY.database().connect();
        var statement =
            connection.prepareStatement(
                """
                INSERT INTO threads (id, project_id, public_id, resource_id, created_at)
                VALUES (?, ?, ?, ?, ?)
                """)) {
      for (int i = 0; i < 1200; i++) {
        statement.setLong(1, project + (1L << 40) + project % 1_000 * 10_000 + i);
        statement.setLong(2, project);
        statement.setString(3, "t" + i);
        statement.setString(4, i % 2 == 0 ? "even" : "odd");
        statement.setString(5, "2026-01-01 00:00:0" + i * 7 % 10);
        statement.addBatch();
      }
      statement.executeBatch();
      connection
          .createStatement()
          .execute(
              """
              INSERT INTO thread_heads (thread_id, project_id, public_id, resource_id, base_seq, next_seq, message_count, updated_at)
              SELECT id, project_id, public_id, resource_id, 0, 0, 0, created_at FROM threads
              WHERE project_id =\s"""
                  + project);
      connection
          .createStatement()
          .execute(
              """
              INSERT INTO thread_counts (project_id, resource_id, slot, threads)
              VALUES (%1$d, '', 0, 1200), (%1$d, 'even', 0, 600)
              """
                  .formatted(project));
    }
  }

  @Test
  void aListHasEveryThreadOnceWhateverThePages() throws Exception {
    fill();
    List<String> all = new ArrayList<>();
    List<String> even = new ArrayList<>();
    for (int offset = 0; offset < 1300; offset += 173) {
      JsonNode page = client.get("/threads?limit=173&offset=" + offset).is(200).json();
      assertThat(page.get("total").asInt()).isEqualTo(1200);
      assertThat(page.get("offset").asInt()).isEqualTo(offset);
      page.get("threads").forEach(thread -> all.add(thread.get("id").asText()));
      JsonNode half =
          client.get("/threads?resourceId=even&limit=173&offset=" + offset).is(200).json();
      assertThat(half.get("total").asInt()).isEqualTo(600);
      half.get("threads").forEach(thread -> even.add(thread.get("id").asText()));
    }
    assertThat(all).hasSize(1200).doesNotHaveDuplicates();
    assertThat(all)
        .isSortedAccordingTo(
            Comparator.comparing((String id) -> -(Long.parseLong(id.substring(1)) * 7 % 10))
                .thenComparing(id -> id));
    assertThat(even).isEqualTo(all.stream().filter(id -> id.matches("t\\d*[02468]")).toList());
  }

  private List<String> ids(String path) {
    List<String> ids = new ArrayList<>();
    client.get(path).is(200).json().get("threads").forEach(t -> ids.add(t.get("id").asText()));
    return ids;
  }
}
