package io.memorygateway.audit;

/**
 * End of the chain.
 *
 * @param seq number of the last row; 0 if there is none
 * @param hash of the last row, lower-case hex
 */
public record AuditHead(long seq, String hash) {
  /** End of a log without rows. */
  public static final AuditHead EMPTY = new AuditHead(0, AuditRow.NO_HASH);
}
