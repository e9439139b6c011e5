package io.memorygateway.audit;

import com.fasterxml.jackson.annotation.JsonRawValue;
import io.memorygateway.json.Timestamps;
import org.jspecify.annotations.Nullable;

/** Row of the audit log as operators see it, with the states as they are stored. */
public record AuditRowView(
    long seq,
    String at,
    String actor,
    String role,
    String source,
    @Nullable String requestId,
    String action,
    String subject,
    String outcome,
    @JsonRawValue @Nullable String before,
    @JsonRawValue @Nullable String after,
    String previousHash,
    String hash) {

  public static AuditRowView of(AuditRow row) {
    return new AuditRowView(
        row.seq(),
        Timestamps.format(row.at()),
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
