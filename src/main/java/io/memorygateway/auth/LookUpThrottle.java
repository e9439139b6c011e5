package io.memorygateway.auth;

/**
 * Decides, in memory, whether the key of an address may be looked up (contract §2): always while
 * the address has failed little; then for keys that exist, and else for one key a second, which may
 * have been issued just now.
 */
record LookUpThrottle(FailedAttempts failedAttempts, IssuedKeys issuedKeys) {

  /**
   * Checks whether a key that is not cached may be looked up.
   *
   * @return 0 if it may, else the seconds until the address may fail again
   */
  long waitBeforeLookUp(String address, String secret) {
    return failedAttempts.hasUsedUp(address) && !issuedKeys.contain(secret)
        ? failedAttempts.waitBeforeLookUp(address)
        : 0;
  }
}
