package io.memorygateway.audit;

import io.memorygateway.json.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Row of {@code audit_log}.
 *
 * @param before JSON text, or null
 * @param after JSON text, or null
 * @param previousHash lower-case hex, as is the hash
 */
public record AuditRow(
    long seq,
    Instant at,
    String actor,
    String role,
    String source,
    @Nullable String requestId,
    String action,
    String subject,
    String outcome,
    @Nullable String before,
    @Nullable String after,
    String previousHash,
    String hash) {

  /** The previous hash of the first row. */
  static final String NO_HASH = "00".repeat(32);

  private static final int FORMAT = 1;

  /** Creates the row of an entry, which is not in the chain yet. */
  static AuditRow of(AuditEntry entry) {
    Actor actor = entry.actor();
    return new AuditRow(
        0,
        Instant.EPOCH,
        AuditText.plain(actor.name(), 255),
        actor.role(),
        AuditText.plain(actor.source(), 255),
        actor.requestId(),
        entry.action(),
        AuditText.plain(entry.subject(), AuditText.MAX_SUBJECT_CHARACTERS),
        entry.outcome().wireName(),
        AuditText.state(entry.before()),
        AuditText.state(entry.after()),
        NO_HASH,
        "");
  }

  /** The row in its place in the chain, with its hash. */
  AuditRow chained(long number, Instant time, String previous) {
    AuditRow row = with(number, time, previous, "");
    return row.with(number, time, previous, row.computeHash());
  }

  private AuditRow with(long number, Instant time, String previous, String computed) {
    return new AuditRow(
        number, time, actor, role, source, requestId, action, subject, outcome, before, after,
        previous, computed);
  }

  /**
   * SHA-256 of all columns but the hash, in lower-case hex: a byte 1, {@code seq} and the
   * milliseconds of {@code at} in eight bytes each, the texts in the order of the columns, each
   * after the number of its UTF-8 bytes in four (-1 for null), and the 32 bytes of the previous
   * hash.
   */
  String computeHash() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(FORMAT);
      out.writeLong(seq);
      out.writeLong(at.toEpochMilli());
      for (@Nullable String text :
          new @Nullable String[] {
            actor, role, source, requestId, action, subject, outcome, before, after
          }) {
        write(out, text);
      }
      out.write(HexFormat.of().parseHex(previousHash));
      return HexFormat.of().formatHex(Sha256.of(bytes.toByteArray()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(DataOutputStream out, @Nullable String text) throws IOException {
    if (text == null) {
      out.writeInt(-1);
      return;
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }
}
