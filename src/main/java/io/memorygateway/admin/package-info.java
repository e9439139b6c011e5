/**
 * Access to the admin port (contract §12): who an operator is ({@code admin.auth} in config.yml)
 * and which role that gives.
 *
 * <p>{@link AdminLogin} stands in front of everything that the admin port serves. It asks the
 * {@link AdminAuthenticator}s of the configured mode, slows down and records failures, and hands
 * the {@code AdminCaller} on with the request. What needs which role is for the tasks and resources
 * to say; {@link ForeignTaskFilter} says it for what comes with Dropwizard.
 */
@NullMarked
package io.memorygateway.admin;

import org.jspecify.annotations.NullMarked;
