package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.api.MemoryApi;
import io.memorygateway.memory.api.MessageResource;
import io.memorygateway.memory.api.ThreadViews;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.write.Appends;
import io.memorygateway.observation.ContextSettings;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.observation.Observations;
import io.memorygateway.observation.RecallSettings;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestTimeout;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.core.UriInfo;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Appends with an Idempotency-Key are stored with those of others, and once all the same. */
class KeyedAppendsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final ExecutorService callers = Executors.newFixedThreadPool(32);
  private final FaultyLanes lanes = new FaultyLanes(DATABASE);
  private final Caller caller = new Caller(1, 1, "p", "name", "msk_test", Map.of());
  private MemoryModule memory;
  private MessageResource resource;

  @BeforeEach
  void openMemory() throws SQLException {
    memory = lanes.openMemory();
    Observations observations =
        new Observations(
            Clock.systemUTC(),
            new ContextSettings(ObservationSettings.defaults(), RecallSettings.defaults()));
    resource =
        MemoryApi.resources(memory, observations, new ThreadViews(memory, observations)).stream()
            .filter(MessageResource.class::isInstance)
            .map(MessageResource.class::cast)
            .findAny()
            .orElseThrow();
  }

  @AfterEach
  void closeMemory() {
    callers.shutdownNow();
    memory.appends().close();
  }

  @Test
  void aKeyIsKeptInTheTransactionThatStores() throws Exception {
    create("kept");

    Appends.Attempt attempt = together("kept", "k", "1");

    assertThat(attempt.appended()).isNotNull();
    String kept =
        "idempotency_keys WHERE status = 201 AND message_seqs = '0' AND key_hash = UNHEX('%s')";
    assertThat(count(kept.formatted(claim("k", "kept", "1").key().hash()))).isEqualTo(1);
    assertThat(together("kept", "k", "1").appended()).isNull();
    assertThat(contents("kept")).isEqualTo(1);
  }

  @Test
  void manyAtOnceAreEachDoneOnceWhoeverElseFails() throws Exception {
    for (int thread = 0; thread < 4; thread++) {
      create("many-" + thread);
    }
    append("many-0", "taken", "another");
    List<Future<String>> answers = new ArrayList<>();
    for (int i = 0; i < 240; i++) {
      int number = i;
      answers.add(
          callers.submit(
              () -> {
                String thread = "many-" + number % 4;
                if (number % 10 == 0) {
                  assertThatThrownBy(
                          () -> AppendsIT.untilStored(() -> append(thread, "taken", "mine")))
                      .isInstanceOf(ApiException.class)
                      .hasMessageContaining("used before");
                  return "";
                }
                // Each of them is sent twice.
                int content = number % 120;
                return AppendsIT.untilStored(
                    () -> append("many-" + content % 4, "key-" + content, "" + content));
              }));
    }
    Map<String, Long> told = new java.util.HashMap<>();
    for (Future<String> answer : answers) {
      told.merge(answer.get(TestTimeout.SECONDS, TimeUnit.SECONDS), 1L, Long::sum);
    }
    assertThat(told.remove("")).isEqualTo(24);
    assertThat(told).hasSize(108).allSatisfy((answer, times) -> assertThat(times).isEqualTo(2));
    assertThat(count("messages JOIN threads t ON t.id = thread_id WHERE t.public_id LIKE 'many-%'"))
        .isEqualTo(109);
  }

  @Test
  void aKeyThatIsBeingUsedElsewhereHoldsUpOthersForASecondAtMost() throws Exception {
    create("busy");
    create("free-0"); // one of two neighbours shares its connection
    create("free-1");
    try (Connection elsewhere = DATABASE.connect()) {
      elsewhere.setAutoCommit(false);
      elsewhere
          .createStatement()
          .execute(
              "INSERT INTO idempotency_keys (project_id, key_hash, request_hash, status,"
                  + " created_at) VALUES (1, UNHEX('"
                  + claim("held", "busy", "1").key().hash()
                  + "'), UNHEX(SHA2('x', 256)), 0, UTC_TIMESTAMP(3))");
      Future<String> waiting =
          callers.submit(() -> AppendsIT.untilStored(() -> append("busy", "held", "1")));
      for (int i = 0; i < 10; i++) {
        append("free-" + i % 2, "free-" + i, "1");
      }
      assertThat(waiting).isNotDone();
      elsewhere.rollback();
      waiting.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    }
    assertThat(contents("busy")).isEqualTo(1);
    assertThat(contents("free-0") + contents("free-1")).isEqualTo(10);
  }

  @Test
  void whatWasCommittedThoughTheAnswerIsLostIsAnsweredFromTheKey() throws Exception {
    create("lost");
    lanes.have(FaultyLanes.Fault.ANSWER_LOST);
    String answer = append("lost", "k-lost", "1");
    lanes.have(FaultyLanes.Fault.NONE);

    assertThat(append("lost", "k-lost", "1")).isEqualTo(answer).contains("\"content\":\"1\"");
    assertThat(contents("lost")).isEqualTo(1);
  }

  @Test
  void aThreadThatIsNotThereIsNotFoundWhateverTheKey() {
    assertThatThrownBy(() -> append("none", "k-none", "1"))
        .isInstanceOf(ApiException.class)
        .satisfies(e -> assertThat(((ApiException) e).error().status()).isEqualTo(404));
  }

  private void create(String id) {
    memory
        .transactions()
        .write(
            handle ->
                memory
                    .threads()
                    .create(handle, caller, memory.threads().newRow(caller), id, "r", null, null));
  }

  /** Without attributes: nothing is reserved. */
  private static final HttpServletRequest REQUEST =
      (HttpServletRequest)
          Proxy.newProxyInstance(
              KeyedAppendsIT.class.getClassLoader(),
              new Class<?>[] {HttpServletRequest.class},
              (proxy, method, arguments) -> null);

  /** As a client's request; the body of the answer. */
  private String append(String thread, String key, String content) {
    Object entity =
        resource.append(caller, thread, key, uri(thread), REQUEST, body(content)).getEntity();
    return new String((byte[]) entity, StandardCharsets.UTF_8);
  }

  private Appends.Attempt together(String thread, String key, String content) {
    return memory
        .appends()
        .together(
            caller,
            thread,
            List.of(new NewMessage(null, "user", "text", "\"" + content + "\"", null, false)),
            claim(key, thread, content),
            StorageLimit.Hold.unlimited());
  }

  private IdempotencyClaim claim(String key, String thread, String content) {
    return IdempotencyClaim.of(caller, key, "POST", uri(thread).getRequestUri(), body(content));
  }

  private static byte[] body(String content) {
    return ("{\"messages\":[{\"role\":\"user\",\"content\":\"" + content + "\"}]}")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static UriInfo uri(String thread) {
    return (UriInfo)
        Proxy.newProxyInstance(
            UriInfo.class.getClassLoader(),
            new Class<?>[] {UriInfo.class},
            (proxy, method, arguments) ->
                URI.create("http://gateway/v1/memory/threads/" + thread + "/messages"));
  }

  private static long contents(String thread) throws Exception {
    return count(
        "messages JOIN threads t ON t.id = thread_id WHERE t.public_id = '" + thread + "'");
  }

  private static long count(String from) throws Exception {
    try (Connection connection = DATABASE.connect();
        var row = connection.createStatement().executeQuery("SELECT COUNT(*) FROM " + from)) {
      row.next();
      return row.getLong(1);
    }
  }
}
