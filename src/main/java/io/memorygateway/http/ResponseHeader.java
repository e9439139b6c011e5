package io.memorygateway.http;

import java.util.Arrays;
import java.util.List;

/**
 * Headers of responses that the gateway itself gives a meaning, in the order of the documentation.
 * CORS takes their names from here, and the OpenAPI document all the rest.
 */
public enum ResponseHeader {
  REQUEST_ID(
      RequestId.HEADER,
      Group.EVERY_RESPONSE,
      "The caller's, if it is fit to be one; else a new one.",
      "{type: string}",
      "0199d3a0-4f6c-7b1e-9d2a-3c5e7f9a1b2c"),
  /** The same id, where the SDKs of Anthropic read it. */
  ANTHROPIC_REQUEST_ID(
      "request-id",
      Group.EVERY_RESPONSE,
      "The same as X-Request-Id.",
      "{type: string}",
      "0199d3a0-4f6c-7b1e-9d2a-3c5e7f9a1b2c"),
  RATE_LIMIT(
      "X-RateLimit-Limit",
      Group.EVERY_RESPONSE,
      "Requests that the shown rule allows in its window.",
      "{type: integer}",
      "1200"),
  RATE_LIMIT_REMAINING(
      "X-RateLimit-Remaining",
      Group.EVERY_RESPONSE,
      "Requests left in the window.",
      "{type: integer}",
      "1199"),
  RATE_LIMIT_RESET(
      "X-RateLimit-Reset",
      Group.EVERY_RESPONSE,
      "Unix time at which the window ends.",
      "{type: integer}",
      "1795168800"),
  RATE_LIMIT_SCOPE(
      "X-RateLimit-Scope",
      Group.EVERY_RESPONSE,
      "The limit that applies.",
      "{type: string, enum: " + RequestKind.scopes() + "}",
      "memory_read"),
  MEMORY_STATUS(
      "X-Memory-Status",
      Group.TURN,
      "What memory did for the call.",
      "{type: string, enum: [stored, bypassed, 'off']}",
      "stored"),
  MEMORY_CONTEXT(
      "X-Memory-Context",
      Group.TURN,
      "What memory added to the call: tokens in all, messages sent raw, lines of observations,"
          + " messages that are neither observed nor sent, old messages quoted.",
      "{type: string}",
      "tokens=5210; messages=42; observations=118; elided=0; recalled=6"),
  TARGET(
      "X-Gateway-Target",
      Group.PROXIED_CALL,
      "The target whose answer this is, as provider/model; not on an answer that was given before.",
      "{type: string}",
      "openai/gpt-5-mini"),
  ATTEMPTS(
      "X-Gateway-Attempts",
      Group.PROXIED_CALL,
      "Each attempt at a target with its status, in order; 502 and 504 stand for no answer.",
      "{type: string}",
      "openai/gpt-5-mini=429, vllm/qwen3-32b=200"),
  REPLAYED(
      "Idempotent-Replayed",
      Group.TURN,
      "The call had been answered before: this is that answer, made from what was stored.",
      "{type: string, enum: ['true']}",
      "'true'"),
  RETRY_AFTER(
      "Retry-After", Group.TRY_LATER, "Seconds to wait.", "{type: integer, minimum: 1}", "12"),
  ALLOW(
      "Allow",
      Group.WRONG_METHOD,
      "The methods that the path takes.",
      "{type: string}",
      "GET, HEAD, OPTIONS");

  /** Responses that have the same headers. */
  public enum Group {
    /** Every response; set in {@link EveryResponse}, or by an admission. */
    EVERY_RESPONSE,
    /** Answers to calls that may be turns of a thread. */
    TURN,
    /** Answers to proxied calls. */
    PROXIED_CALL,
    /** 429 and 503. */
    TRY_LATER,
    /** 405. */
    WRONG_METHOD;

    /** The headers of these responses. */
    public List<ResponseHeader> headers() {
      return Arrays.stream(ResponseHeader.values()).filter(header -> header.group == this).toList();
    }
  }

  private final String headerName;
  private final Group group;
  private final String description;
  private final String schema;
  private final String example;

  /**
   * Creates a header.
   *
   * @param schema of its value, in YAML
   * @param example of its value, in YAML
   */
  ResponseHeader(
      String headerName, Group group, String description, String schema, String example) {
    this.headerName = headerName;
    this.group = group;
    this.description = description;
    this.schema = schema;
    this.example = example;
  }

  /** Name in a response. */
  public String headerName() {
    return headerName;
  }

  /** What its value says, for the OpenAPI document. */
  public String description() {
    return description;
  }

  /** JSON schema of its value, in YAML. */
  public String schema() {
    return schema;
  }

  /** Example of its value, in YAML. */
  public String example() {
    return example;
  }
}
