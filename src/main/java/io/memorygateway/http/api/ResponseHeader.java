package io.memorygateway.http.api;

import java.util.Arrays;
import java.util.List;

/**
 * Headers of responses that the gateway itself gives a meaning, in the order of the documentation.
 * CORS and the OpenAPI document take them from here.
 */
public enum ResponseHeader {
  REQUEST_ID(RequestId.HEADER, Group.EVERY_RESPONSE),
  /** The same id, where the SDKs of Anthropic read it. */
  ANTHROPIC_REQUEST_ID("request-id", Group.EVERY_RESPONSE),
  RATE_LIMIT("X-RateLimit-Limit", Group.EVERY_RESPONSE),
  RATE_LIMIT_REMAINING("X-RateLimit-Remaining", Group.EVERY_RESPONSE),
  RATE_LIMIT_RESET("X-RateLimit-Reset", Group.EVERY_RESPONSE),
  RATE_LIMIT_SCOPE("X-RateLimit-Scope", Group.EVERY_RESPONSE),
  MEMORY_STATUS("X-Memory-Status", Group.TURN),
  MEMORY_CONTEXT("X-Memory-Context", Group.TURN),
  TARGET("X-Gateway-Target", Group.PROXIED_CALL),
  ATTEMPTS("X-Gateway-Attempts", Group.PROXIED_CALL),
  DROPPED("X-Gateway-Dropped", Group.PROXIED_CALL),
  COST("X-Gateway-Cost", Group.PROXIED_CALL),
  BUDGET_REMAINING("X-Budget-Remaining", Group.PROXIED_CALL),
  BUDGET_RESET("X-Budget-Reset", Group.PROXIED_CALL),
  REPLAYED("Idempotent-Replayed", Group.TURN),
  RETRY_AFTER("Retry-After", Group.TRY_LATER),
  ALLOW("Allow", Group.WRONG_METHOD),
  /** {@code false}: clients are not to try again, as some do in silence. */
  SHOULD_RETRY("x-should-retry", Group.FINAL),
  AUTHENTICATE("WWW-Authenticate", Group.WITHOUT_KEY);

  /** Responses that have the same headers. */
  public enum Group {
    /** Every response; set in {@link RequestId}, or by an admission. */
    EVERY_RESPONSE,
    /** Answers to calls that may be turns of a thread. */
    TURN,
    /** Answers to proxied calls. */
    PROXIED_CALL,
    /** 429 and 503. */
    TRY_LATER,
    /** 405. */
    WRONG_METHOD,
    /** 401, 402 and 403. */
    FINAL,
    /** 401. */
    WITHOUT_KEY;

    public List<ResponseHeader> headers() {
      return Arrays.stream(ResponseHeader.values()).filter(header -> header.group == this).toList();
    }
  }

  private final String headerName;
  private final Group group;

  ResponseHeader(String headerName, Group group) {
    this.headerName = headerName;
    this.group = group;
  }

  public String headerName() {
    return headerName;
  }
}
