package io.memorygateway.operator;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.audit.AuditHead;
import io.memorygateway.audit.AuditVerification;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Verification of the audit log by a remote gateway, part after part. */
record RemoteAudit(RemoteGateway gateway) {
  private static final int MAX_FAULTS = 100;

  /**
   * Verifies the whole log.
   *
   * @param noted number and hash of a row, recorded before; null for none
   * @throws IllegalArgumentException with a one-line message for the operator
   */
  AuditVerification.Report verify(@Nullable AuditHead noted) throws InterruptedException {
    List<String> faults = new ArrayList<>();
    AuditHead last = AuditHead.EMPTY;
    long rows = 0;
    boolean complete = false;
    while (!complete) {
      JsonNode part =
          gateway.get(
              "/audit/verify", Map.of("after", Long.toString(last.seq()), "hash", last.hash()));
      rows += part.path("rows").asLong();
      part.path("faults").forEach(fault -> faults.add(fault.asText()));
      complete = part.path("complete").asBoolean();
      AuditHead end = new AuditHead(part.path("lastSeq").asLong(), part.path("lastHash").asText());
      if (!complete && end.seq() <= last.seq()) {
        throw new IllegalArgumentException("The admin port does not go on with the verification.");
      }
      last = end;
    }
    if (noted != null) {
      addFaultOf(noted, faults);
    }
    return new AuditVerification.Report(
        rows, last.seq(), last.hash(), faults.subList(0, Math.min(faults.size(), MAX_FAULTS)));
  }

  private void addFaultOf(AuditHead noted, List<String> faults) throws InterruptedException {
    JsonNode row =
        gateway
            .get("/audit", Map.of("before", Long.toString(noted.seq() + 1), "limit", "1"))
            .at("/rows/0");
    if (row.path("seq").asLong() != noted.seq()) {
      faults.add(0, "row " + noted.seq() + ", whose hash was noted, is missing");
    } else if (!row.path("hash").asText().equals(noted.hash())) {
      faults.add(0, "row " + noted.seq() + " is not the row whose hash was noted");
    }
  }
}
