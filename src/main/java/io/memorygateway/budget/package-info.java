/**
 * Budgets: what they are, and what a call holds and settles of them (contract §15). The statements
 * of {@link io.memorygateway.budget.Settlements} run in the transaction that writes the request
 * log; those that hold are in {@code budget.hold}.
 */
@NullMarked
package io.memorygateway.budget;

import org.jspecify.annotations.NullMarked;
