/**
 * Holds of budgets (contract §15): before a call goes upstream, what it may cost at most is held of
 * every budget that covers it, so that no number of nodes and calls ever comes to more than a
 * limit. Calls that come together share a transaction ({@link
 * io.memorygateway.concurrent.GroupCommit}); the row of a window is locked from its change to the
 * commit, and windows are locked in the order of their ids.
 */
@NullMarked
package io.memorygateway.budget.hold;

import org.jspecify.annotations.NullMarked;
