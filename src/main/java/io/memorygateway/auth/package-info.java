/**
 * API keys: their issue, their verification and the filter that demands one (contract §1, §2).
 *
 * <p><b>Anatomy of a key</b>:
 *
 * <pre>
 *   msk_ 3f9a 1c0de4b27a5f8e6d90b1c2d3e4f5
 *   └─┬┘ └─┬┘
 *     │    └── first 4 of 32 hex digits, 128 random bits in all
 *     └─────── the prefix of every key of a gateway
 *   └───┬───┘
 *       └───── display prefix: the part that is stored, listed and logged
 * </pre>
 *
 * The whole key is shown once, at issue or rotation. Stored is its SHA-256, under a unique index; a
 * slow hash is not needed for 128 random bits.
 *
 * <p><b>Verification</b> of a request:
 *
 * <ol>
 *   <li>{@code PresentedKey} takes the first header that holds a gateway key.
 *   <li>{@code ApiKeyVerifier} hashes it and looks into its cache. An entry younger than 1.5 s
 *       decides; up to 4 s it decides and is revalidated in the background; an older one is
 *       revalidated while the caller waits. A revocation therefore takes effect on every node
 *       within 5 s, and immediately on the node that revoked the key, which evicts it.
 *   <li>A key that is not cached is looked up. An address with too many failures in the running
 *       minute is refused with 429 first ({@code LookUpThrottle}), unless the key has the
 *       fingerprint of an issued one ({@code IssuedKeys}); hashes without a key are cached for 5 s.
 *   <li>{@code ApiKeyLookUps} has one thread and one connection for all look-ups of the node: those
 *       that wait share one statement, revalidations before first look-ups.
 *   <li>Only while the database cannot be reached, keys that were valid stay so for a grace period.
 *       Where it is slow or a look-up fails, the answer is 503.
 * </ol>
 *
 * <p>The result is a {@code Caller}, the principal of the request: one key of one project. The
 * project owns all data; rate limits are counted per key.
 */
@NullMarked
package io.memorygateway.auth;

import org.jspecify.annotations.NullMarked;
