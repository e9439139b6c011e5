/**
 * The audit log: operators' acts, in a table to which rows are only added (contract §12).
 *
 * <p>Each row has the hash of the row before it ({@link AuditRow#computeHash}), and the table
 * {@code audit_head} has the number and the hash of the last one. Adding to the log locks that row,
 * so that the nodes of a cluster add to one chain. {@link AuditVerification} checks the chain: it
 * finds rows that were changed, removed, moved or added, and rows that are missing at the end
 * unless {@code audit_head} was changed with them. Somebody who may write to the database could
 * compute the whole chain anew: only a comparison with a number and hash recorded elsewhere, as in
 * the log of each node, finds that.
 */
@NullMarked
package io.memorygateway.audit;

import org.jspecify.annotations.NullMarked;
