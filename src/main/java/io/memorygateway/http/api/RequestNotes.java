package io.memorygateway.http.api;

import io.memorygateway.figures.CallFigures;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Facts of one request, collected while it is served, for the access log and metrics. Never a body,
 * never a secret. Written by the threads that serve the request, one after another; read when it is
 * over.
 */
public final class RequestNotes {
  public static final String ATTRIBUTE = RequestNotes.class.getName();

  private final @Nullable Request received;
  private @Nullable String project;
  private @Nullable String keyPrefix;
  private @Nullable String endpoint;
  private long admissionNanos;
  private long matchedNanos;
  private long bodyReadNanos;
  private @Nullable CallFigures call;
  private @Nullable String attempts;

  /** Notes of a request that reached no servlet. */
  public RequestNotes() {
    this(null);
  }

  /**
   * @param received as it came, before a connector with {@code useForwardedHeaders} changes it
   */
  RequestNotes(@Nullable Request received) {
    this.received = received;
  }

  /** The request as it came; null if it is not known. */
  public @Nullable Request received() {
    return received;
  }

  /** Returns the notes of a request; new ones if it has none. */
  public static RequestNotes of(HttpServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof RequestNotes notes) {
      return notes;
    }
    RequestNotes notes = new RequestNotes();
    request.setAttribute(ATTRIBUTE, notes);
    return notes;
  }

  /** Sets the caller: the project's name, and the part of the key that may be shown. */
  public void caller(String projectName, String prefix) {
    project = projectName;
    keyPrefix = prefix;
  }

  /** Sets the template of the matched path, such as {@code /v1/memory/threads/{thread}}. */
  public void matched(String template) {
    endpoint = template;
    matchedNanos = System.nanoTime();
  }

  /** Adds time that the request waited for its key or its rate limits to be checked. */
  public void waitedForAdmission(long nanos) {
    admissionNanos += nanos;
  }

  /** Records that the client has sent its whole body. */
  public void bodyRead() {
    bodyReadNanos = System.nanoTime();
  }

  /**
   * Sets the figures of the model call that the request is.
   *
   * @param trail every attempt with its status, where there was more than one; else null
   */
  public void call(CallFigures figures, @Nullable String trail) {
    call = figures;
    attempts = trail;
  }

  public @Nullable String project() {
    return project;
  }

  public @Nullable String keyPrefix() {
    return keyPrefix;
  }

  /**
   * Template of the path; of a request that was refused before matching, the known path that it is
   * at or below; null if there is neither. Bounded, and without ids.
   *
   * @param path of the request, canonical
   */
  public @Nullable String endpointAt(@Nullable String path) {
    if (endpoint != null) {
      return endpoint;
    }
    ApiPath known = path == null ? null : ApiPath.of(path);
    return known == null ? null : known.path();
  }

  public @Nullable CallFigures call() {
    return call;
  }

  public @Nullable String attempts() {
    return attempts;
  }

  /** Time that the request waited to be admitted, for the database mostly. */
  public Duration admission() {
    return Duration.ofNanos(admissionNanos);
  }

  /** Nanoseconds that the client took to send its body after the gateway was ready to read it. */
  public long bodyNanos() {
    return bodyReadNanos == 0 || matchedNanos == 0 ? 0 : bodyReadNanos - matchedNanos;
  }
}
