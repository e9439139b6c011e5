/**
 * The database: how it is reached ({@link Database}, the pool of {@link DatabaseModule}, and
 * connections apart from it by {@link DatabaseAddress}), where transactions are begun and repeated
 * ({@link Transactions}), what its failures mean ({@link DatabaseFailure}) and which errors of the
 * API they become, how background work removes old rows ({@link Cleaner}), and what operators are
 * shown of it: health checks, grants, the version of the server and of the schema.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.database;
