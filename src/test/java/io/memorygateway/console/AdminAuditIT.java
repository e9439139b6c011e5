package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.audit.Actor;
import io.memorygateway.audit.AuditEntry;
import io.memorygateway.audit.AuditHead;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.audit.AuditReader;
import io.memorygateway.audit.RefusalBound;
import io.memorygateway.database.Transactions;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §12: what is in the audit log is found, and whether it is whole. */
class AdminAuditIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM).withoutKey().configured(AdminClient::takeTokens);

  private static final int LARGE = 60_000;

  private static AdminClient viewer;
  private static Jdbi jdbi;

  @BeforeAll
  static void rows() throws Exception {
    viewer = AdminClient.of(GATEWAY, DATABASE, "viewer");
    jdbi = DATABASE.jdbi();
    AuditLog log = new AuditLog(Transactions.ofOperators(jdbi));
    for (int i = 0; i < 250; i++) {
      Actor actor = new Actor("ada-" + i % 2, "owner", "here", null);
      Object state = i < 180 ? Map.of("text", "x".repeat(LARGE)) : null;
      log.append(
          new AuditEntry(actor, "test-" + i % 5, "=s" + i, AuditEntry.Outcome.DONE, state, state));
    }
  }

  @Test
  void whoIsRefusedAgainAndAgainDoesNotFillTheLog() throws Exception {
    AdminClient intruder = AdminClient.of(GATEWAY, DATABASE, "viewer");
    for (int i = 0; i < 100; i++) {
      ErrorEnvelope.check(
          intruder.send("DELETE", "/projects/p/threads/" + "x".repeat(7_000), null),
          403,
          "invalid_request_error");
    }
    assertThat(refusals("MAX(LENGTH(after_state))")).isLessThan(400);
    assertThat(refusals("COUNT(*)")).isBetween(1, 2 * RefusalBound.PER_MINUTE);
  }

  private static int refusals(String what) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT " + what + " FROM audit_log WHERE outcome = 'refused'")
                .mapTo(Integer.class)
                .one());
  }

  @Test
  void whoReadsAnExportSlowlyKeepsNobodyElseFromIt() throws Exception {
    String token = AdminClient.token(DATABASE, "viewer");
    try (RawClient slow = new RawClient(URI.create(GATEWAY.adminUrl()).getPort())) {
      // The log is larger than all buffers between.
      slow.send(
          "GET /admin/api/audit/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(token));
      slow.readUntil("seq");
      HttpResponse<String> second = viewer.send("GET", "/audit/export?after=999999", null);
      ErrorEnvelope.check(second, 503, "service_unavailable");
      assertThat(second.headers().firstValue("Retry-After")).hasValue("5");
      assertThat(
              AdminClient.of(GATEWAY, DATABASE, "owner")
                  .send("GET", "/audit/export?after=999999", null)
                  .statusCode())
          .isEqualTo(200);
      assertThat(viewer.get("/audit?limit=1").path("rows")).hasSize(1);
      slow.reset();
    }
    await().until(() -> viewer.send("GET", "/audit/export?after=999999", null).statusCode() == 200);
  }

  @ParameterizedTest
  @CsvSource({
    "action=test-1,50",
    "action=test-1&actor=ada-0,25",
    "subject=%3Ds7,1",
    "action=test-1&outcome=refused,0",
    "action=test-2&from=2000-01-01T00:00:00Z,50",
    "action=test-2&to=2000-01-01T00:00:00Z,0",
    "actor=nobody,0",
  })
  void rowsAreFiltered(String filter, int count) throws Exception {
    assertThat(viewer.get("/audit?limit=200&" + filter).path("rows")).hasSize(count);
  }

  @Test
  void aPageEndsWhenItIsLargeAndNoRowIsLeftOut() throws Exception {
    int rows = 0;
    int pages = 0;
    String before = "";
    do {
      HttpResponse<String> answer =
          viewer.send("GET", "/audit?limit=200&outcome=done" + before, null);
      assertThat(answer.body().length()).isLessThan(10 << 20);
      JsonNode page = AdminClient.json(answer);
      rows += page.path("rows").size();
      pages++;
      before = page.path("before").isNull() ? "" : "&before=" + page.path("before").asText();
    } while (!before.isEmpty());
    assertThat(rows).isGreaterThanOrEqualTo(250);
    assertThat(pages).isGreaterThan(2);
  }

  @Test
  void theLogIsCsvAsWell() throws Exception {
    HttpResponse<String> csv = viewer.send("GET", "/audit?action=test-4&format=csv", null);
    assertThat(csv.body()).startsWith("seq,at,actor,role,source,").contains(",\"'=s249\",done,");
    assertThat(viewer.send("GET", "/audit?format=csv&limit=3", null).body().lines().toList())
        .hasSize(5)
        .last()
        .asString()
        .startsWith("There are more rows than these 3");
  }

  @Test
  void itIsVerifiedPartByPart() throws Exception {
    Verified whole = verify("");
    assertThat(whole.faults()).isEmpty();

    AuditReader reader = new AuditReader(jdbi);
    AuditReader.Step step = reader.verify(AuditHead.EMPTY, null, () -> false);
    assertThat(step.complete()).isFalse();
    assertThat(step.report().faults()).isEmpty();
    Verified rest =
        verify("?after=" + step.report().lastSeq() + "&hash=" + step.report().lastHash());
    assertThat(rest.faults()).isEmpty();
    assertThat(rest.lastHash()).isEqualTo(whole.lastHash());
    assertThat(rest.rows() + step.report().rows()).isEqualTo(whole.rows());

    long changed = step.report().lastSeq() + 20;
    try (Connection connection = DATABASE.connect()) {
      connection
          .createStatement()
          .execute("UPDATE audit_log SET actor = 'eve' WHERE seq = " + changed);
      assertThat(verify("").faults()).containsExactly("row " + changed + " was changed");
      connection
          .createStatement()
          .execute(
              "UPDATE audit_log SET actor = CONCAT('ada-', MOD(SUBSTRING(subject, 3), 2)) WHERE seq"
                  + " = "
                  + changed);
    }
    assertThat(verify("").faults()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/audit?limit=0",
        "/audit?from=x",
        "/audit?format=xml",
        "/audit/verify?hash=aa",
        "/audit/verify?after=0&hash=aa",
        "/audit/verify?after=3",
        "/audit/verify?after=3&hash=x",
        "/audit/verify?after=3&hash=ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789",
        "/audit/verify?after=-1&hash=x",
        "/audit/verify?after=many"
      })
  void aWrongQuestionIsRefused(String path) throws Exception {
    ErrorEnvelope.check(viewer.send("GET", path, null), 400, "invalid_request_error");
  }

  private record Verified(List<String> faults, long rows, String lastHash) {}

  /** Verifies up to the end, in as many requests as the time of one asks for. */
  private static Verified verify(String query) throws Exception {
    List<String> faults = new ArrayList<>();
    long rows = 0;
    String next = query;
    while (true) {
      JsonNode part = viewer.get("/audit/verify" + next);
      part.path("faults").forEach(fault -> faults.add(fault.asText()));
      assertThat(part.path("ok").asBoolean()).isEqualTo(part.path("faults").isEmpty());
      assertThat(part.path("complete").asBoolean()).isEqualTo(part.path("next").isNull());
      rows += part.path("rows").asLong();
      String hash = part.path("lastHash").asText();
      if (part.path("complete").asBoolean()) {
        return new Verified(faults, rows, hash);
      }
      next = "?after=" + part.path("next").asLong() + "&hash=" + hash;
    }
  }
}
