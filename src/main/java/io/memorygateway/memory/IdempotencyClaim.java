package io.memorygateway.memory;

/**
 * What a write with an Idempotency-Key takes hold of.
 *
 * @param requestHash hex SHA-256 of method, path, query and body: a write with the same key and
 *     another hash is another one
 */
record IdempotencyClaim(Key key, String requestHash) {
  /**
   * A key, which is a project's own.
   *
   * @param hash hex SHA-256 of the Idempotency-Key
   */
  record Key(long projectId, String hash) {}

  /**
   * A claim, and the answer that belongs to it from now on.
   *
   * @param answer of the write
   */
  record Answered(IdempotencyClaim claim, IdempotencyDao.Remembered answer) {}
}
