package io.memorygateway.audit;

/**
 * End of the chain.
 *
 * @param seq of the last row; 0: there is none
 * @param hash of the last row, lower-case hex
 */
public record AuditHead(long seq, String hash) {
  static final AuditHead EMPTY = new AuditHead(0, AuditRow.NO_HASH);
}
