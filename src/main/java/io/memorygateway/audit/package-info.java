/**
 * The audit log: what operators did, in a table to which rows are only added (contract §12).
 *
 * <p>Each row holds the hash of the row before it ({@link AuditRow#computeHash}), and the table
 * {@code audit_head} holds the number and the hash of the last one. That row is locked by whoever
 * adds to the log, so that the nodes of a cluster add to one chain. {@link AuditVerification} walks
 * the chain: a row that was changed, removed or moved is found, and rows that are missing at the
 * end as long as {@code audit_head} was not changed with them. Somebody who may write to the
 * database could compute the whole chain anew: that is found only by comparing it with a number and
 * hash that were noted elsewhere, as the log of each node does.
 */
@NullMarked
package io.memorygateway.audit;

import org.jspecify.annotations.NullMarked;
