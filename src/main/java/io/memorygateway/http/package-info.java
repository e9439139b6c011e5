/**
 * HTTP as all of the gateway has it, whoever serves a request. {@link
 * io.memorygateway.http.HttpEdge} installs the filters and settings of both ports; {@link
 * io.memorygateway.http.ErrorCatalogue} and {@link io.memorygateway.http.ApiError} are the one
 * error shape of contract §3, rendered alike for Jersey ({@code ErrorMappers}) and for what never
 * reaches it ({@code JettyErrorHandler}); {@link io.memorygateway.http.ApiPath} is the table of
 * paths; {@link io.memorygateway.http.BodyReservation} is what a request holds of the heap; {@code
 * Admin*} is the port for operators.
 *
 * <p>{@link io.memorygateway.http.LimitScope} and {@link io.memorygateway.http.RequestNotes} are
 * guests: authentication, rate limits and the access log need them, and do not know each other.
 */
package io.memorygateway.http;
