/**
 * HTTP for all of the gateway, whatever serves a request. {@link
 * io.memorygateway.http.setup.HttpServerSetup} installs the filters and settings of both ports;
 * {@link io.memorygateway.http.errors.ErrorCatalogue} and {@link
 * io.memorygateway.http.errors.ApiError} are the one error shape of contract §3, rendered alike for
 * Jersey ({@code ErrorMappers}) and for requests that never reach it ({@code JettyErrorHandler});
 * {@link io.memorygateway.http.api.ApiPath} is the table of paths; {@link
 * io.memorygateway.http.admission.RequestReservation} is the heap that a request holds; {@code
 * Admin*} is the port for operators.
 *
 * <p>{@link io.memorygateway.http.api.RequestKind} and {@link
 * io.memorygateway.http.api.RequestNotes} are here because authentication, rate limits and the
 * access log need them and do not know each other.
 */
package io.memorygateway.http;
