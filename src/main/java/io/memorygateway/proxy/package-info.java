/**
 * Proxied calls (contract §6). {@link io.memorygateway.proxy.LlmResource} takes a call, and {@code
 * LlmProxy} has its whole way: the router finds its route, a turn is opened, and {@code
 * CallAttempts} tries targets until one answers. An {@code Attempt} sends the request as an {@code
 * UpstreamCall} with one retry, and the answer comes back whole or through a {@code StreamPump},
 * byte for byte, while the turn listens.
 *
 * <p>A {@code Route} has one target, where the call names a model, or several (contract §10):
 * {@code TargetSelection} chooses among these by weight, load and {@code circuit}, an {@code
 * AttemptFailure} says whether another one may answer instead, and {@code HeldStart} holds a stream
 * back until it says something.
 *
 * <p>{@code Router}, {@code Provider} and {@code ProviderConfiguration} are the targets; {@code
 * ForwardedHeaders} and {@code AnswerHeaders} say which headers cross; {@code Upstream} and {@code
 * UpstreamExchange} speak HTTP through Jetty's client; {@link io.memorygateway.http.ClientWatch}
 * notices clients that have left. A {@code CallMeasurement} gathers the times and tokens of a call
 * and reports them at its end, as a {@code LoggedCall} to the request log and as figures to the
 * access log. Formats are the business of {@code dialect} alone.
 */
package io.memorygateway.proxy;
