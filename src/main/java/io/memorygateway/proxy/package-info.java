/**
 * Proxied calls (contract §6). {@link io.memorygateway.proxy.call.LlmResource} receives a call, and
 * {@code LlmProxy} controls its whole course: the router finds its route, a turn is opened, and
 * {@code CallAttempts} tries targets until one answers. An {@code Attempt} sends the request as an
 * {@code UpstreamCall} with one retry, and the answer is returned complete or through a {@code
 * StreamPump}, byte for byte, while the turn reads it too.
 *
 * <p>A {@code Route} has one target if the call names a model of a provider, or several (contract
 * §10): {@code TargetSelection} chooses among these by weight, load and {@code circuit}, an {@code
 * AttemptFailure} tells whether another one may answer instead, and {@code HeldStart} holds a
 * stream back until its first content.
 *
 * <p>{@code Router}, {@code Provider} and {@code ProviderConfiguration} describe the targets;
 * {@code ForwardedHeaders} and {@code AnswerHeaders} list the headers that are passed on; {@code
 * Upstream} and {@code UpstreamExchange} speak HTTP through Jetty's client; {@link
 * io.memorygateway.http.arrival.ClientWatch} notices clients that have left. A {@code
 * CallMeasurement} collects the times and tokens of a call and reports them at its end, as a {@code
 * LoggedCall} to the request log and as figures to the access log. Only {@code format} knows the
 * formats.
 */
package io.memorygateway.proxy;
