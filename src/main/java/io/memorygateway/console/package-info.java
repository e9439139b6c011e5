/**
 * Admin API: JSON under {@code /admin/api} on the admin port, for operators (contract §12). The
 * package {@code admin} authenticates; each method of a resource declares its {@link RequiredRole},
 * and a change is recorded in the audit log in its own transaction.
 */
@NullMarked
package io.memorygateway.console;

import org.jspecify.annotations.NullMarked;
