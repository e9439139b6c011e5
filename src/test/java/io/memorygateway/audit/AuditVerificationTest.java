package io.memorygateway.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.audit.AuditEntry.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Contract §12: a row of the audit log that was changed, removed or moved is found. */
class AuditVerificationTest {
  private static final Instant NOW = Instant.parse("2026-11-23T10:00:00.123Z");
  private static final Actor ACTOR = new Actor("ada", "owner", "10.0.0.1", "request-1");

  private final List<AuditRow> rows = new ArrayList<>(chain(5));

  @Test
  void aChainThatNobodyTouchedIsWhole() {
    AuditVerification.Report report = verify(rows, head(rows), head(rows.subList(0, 3)));
    assertThat(report.faults()).isEmpty();
    assertThat(report.rows()).isEqualTo(5);
    assertThat(report.lastHash()).isEqualTo(rows.get(4).hash());
    assertThat(verify(List.of(), AuditHead.EMPTY, null).faults()).isEmpty();
  }

  @Test
  void everyColumnIsPartOfTheHash() {
    AuditRow row = rows.get(2);
    List<AuditRow> changed =
        List.of(
            with(row, NOW.plusMillis(1), "ada", "owner", "done", "{\"n\":3}"),
            with(row, NOW, "eve", "owner", "done", "{\"n\":3}"),
            with(row, NOW, "ada", "viewer", "done", "{\"n\":3}"),
            with(row, NOW, "ada", "owner", "refused", "{\"n\":3}"),
            with(row, NOW, "ada", "owner", "done", "{\"n\":4}"),
            with(row, NOW, "ada", "owner", "done", null),
            // The same characters, divided otherwise.
            with(row, NOW, "adao", "wner", "done", "{\"n\":3}"));
    for (AuditRow one : changed) {
      rows.set(2, one);
      assertThat(verify(rows, head(rows), null).faults()).containsExactly("row 3 was changed");
    }
  }

  @Test
  void aRowWhoseHashWasMadeAnewBreaksTheChainBehindIt() {
    AuditRow row = rows.get(2);
    AuditEntry other = new AuditEntry(ACTOR, "key-list", "", Outcome.DONE, null, null);
    rows.set(2, AuditRow.of(other).chained(3, NOW, row.previousHash()));
    assertThat(verify(rows, head(rows), null).faults())
        .containsExactly("row 4 does not follow the row before it");
  }

  @Test
  void aRowThatWasRemovedIsFound() {
    AuditHead head = head(rows);
    rows.remove(2);
    assertThat(verify(rows, head, null).faults()).containsExactly("row 3 is missing");
    rows.remove(0);
    assertThat(verify(rows, head, null).faults())
        .containsExactly("row 1 is missing", "row 3 is missing");
    assertThat(verify(List.of(), head, null).faults())
        .containsExactly("rows 1 to 5 are missing at the end");
  }

  @Test
  void rowsThatWereMovedAreFound() {
    AuditRow second = rows.get(1);
    AuditRow fourth = rows.get(3);
    rows.set(1, renumbered(fourth, 2));
    rows.set(3, renumbered(second, 4));
    assertThat(verify(rows, head(rows), null).faults())
        .contains("row 2 was changed", "row 4 was changed");
  }

  @Test
  void rowsThatAreMissingAtTheEndAreFound() {
    AuditHead head = head(rows);
    List<AuditRow> cut = rows.subList(0, 3);
    assertThat(verify(cut, head, null).faults())
        .containsExactly("rows 4 to 5 are missing at the end");
    // Whoever changes audit_head with them is found out by what was noted elsewhere.
    assertThat(verify(cut, head(cut), null).faults()).isEmpty();
    assertThat(verify(cut, head(cut), head).faults())
        .containsExactly("rows 4 to 5 are missing at the end");
    assertThat(verify(rows, null, null).faults())
        .containsExactly("the row of audit_head is missing");
    assertThat(verify(rows, head(cut), null).faults())
        .containsExactly("there are rows behind row 3, the last one according to audit_head");
  }

  @Test
  void aChainThatWasComputedAnewIsNotTheOneThatWasNoted() {
    AuditHead noted = head(rows.subList(0, 4));
    List<AuditRow> forged = new ArrayList<>();
    String previous = AuditRow.NO_HASH;
    for (long seq = 1; seq <= 5; seq++) {
      AuditEntry entry = new AuditEntry(ACTOR, "forged", "", Outcome.DONE, null, null);
      forged.add(AuditRow.of(entry).chained(seq, NOW, previous));
      previous = forged.get(forged.size() - 1).hash();
    }
    assertThat(verify(forged, head(forged), null).faults()).isEmpty();
    assertThat(verify(forged, head(forged), noted).faults())
        .containsExactly("row 4 is not the row whose hash was noted");
  }

  @Test
  void faultsAreBounded() {
    List<AuditRow> many = chain(1000);
    Collections.reverse(many);
    assertThat(verify(many, head(many), null).faults()).hasSize(100);
  }

  @Test
  void noSecretIsRecordedAndNothingWithoutBounds() {
    String key = "msk_" + "0123456789abcdef".repeat(2);
    String token = "msa_" + "fedcba98".repeat(4);
    AuditEntry entry =
        new AuditEntry(
            ACTOR,
            "key-issue",
            key,
            Outcome.DONE,
            Map.of("key", key),
            Map.of("text", "half \ud800 of " + token));
    AuditRow row = AuditRow.of(entry).chained(1, NOW, AuditRow.NO_HASH);
    assertThat(row.subject()).isEqualTo("msk_0123***");
    assertThat(row.before()).isEqualTo("{\"key\":\"msk_0123***\"}");
    assertThat(row.after()).isEqualTo("{\"text\":\"half ? of msa_fedc***\"}");
    assertThat(row.hash()).isEqualTo(row.computeHash());

    AuditEntry large =
        new AuditEntry(
            ACTOR, "a", "x".repeat(10_000), Outcome.DONE, null, Map.of("t", "y".repeat(100_000)));
    AuditRow bounded = AuditRow.of(large).chained(1, NOW, AuditRow.NO_HASH);
    assertThat(bounded.subject()).hasSize(AuditText.MAX_SUBJECT_CHARACTERS).endsWith("…");
    assertThat(bounded.after()).isEqualTo("{\"tooLargeToRecord\":100008}");
  }

  private static AuditVerification.Report verify(
      List<AuditRow> rows, AuditHead head, AuditHead noted) {
    AuditVerification verification = new AuditVerification(AuditHead.EMPTY, noted);
    rows.forEach(verification::next);
    return verification.end(head);
  }

  private static AuditHead head(List<AuditRow> rows) {
    AuditRow last = rows.get(rows.size() - 1);
    return new AuditHead(last.seq(), last.hash());
  }

  private static List<AuditRow> chain(int length) {
    List<AuditRow> chain = new ArrayList<>();
    String previous = AuditRow.NO_HASH;
    for (int seq = 1; seq <= length; seq++) {
      AuditEntry entry =
          new AuditEntry(ACTOR, "limit", "k" + seq, Outcome.DONE, null, Map.of("n", seq));
      AuditRow row = AuditRow.of(entry).chained(seq, NOW, previous);
      chain.add(row);
      previous = row.hash();
    }
    return chain;
  }

  private static AuditRow with(
      AuditRow row, Instant at, String actor, String role, String outcome, String after) {
    return new AuditRow(
        row.seq(),
        at,
        actor,
        role,
        row.source(),
        row.requestId(),
        row.action(),
        row.subject(),
        outcome,
        row.before(),
        after,
        row.previousHash(),
        row.hash());
  }

  private static AuditRow renumbered(AuditRow row, long seq) {
    return new AuditRow(
        seq,
        row.at(),
        row.actor(),
        row.role(),
        row.source(),
        row.requestId(),
        row.action(),
        row.subject(),
        row.outcome(),
        row.before(),
        row.after(),
        row.previousHash(),
        row.hash());
  }
}
