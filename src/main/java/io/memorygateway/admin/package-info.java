/**
 * Access to the admin port (contract §12): identifies operators ({@code admin.auth} in config.yml)
 * and gives them roles.
 *
 * <p>{@link AdminLogin} stands in front of everything that the admin port serves. It asks the
 * {@link AdminAuthenticator}s of the configured mode, slows down and records failures, and adds the
 * {@code AdminCaller} to the request. Tasks and resources check the role that they need.
 */
@NullMarked
package io.memorygateway.admin;

import org.jspecify.annotations.NullMarked;
