package io.memorygateway.tracing;

import io.opentelemetry.api.common.AttributeKey;
import java.util.List;

/**
 * Names of span attributes: OpenTelemetry's semantic conventions, including those of generative AI
 * (schema 1.42.0, in development), and a few custom ones.
 */
final class GenAiAttributes {
  static final AttributeKey<String> OPERATION = AttributeKey.stringKey("gen_ai.operation.name");
  static final AttributeKey<String> PROVIDER = AttributeKey.stringKey("gen_ai.provider.name");
  static final AttributeKey<String> REQUEST_MODEL = AttributeKey.stringKey("gen_ai.request.model");
  static final AttributeKey<String> CONVERSATION = AttributeKey.stringKey("gen_ai.conversation.id");
  static final AttributeKey<String> RESPONSE_ID = AttributeKey.stringKey("gen_ai.response.id");
  static final AttributeKey<String> RESPONSE_MODEL =
      AttributeKey.stringKey("gen_ai.response.model");
  static final AttributeKey<List<String>> FINISH_REASONS =
      AttributeKey.stringArrayKey("gen_ai.response.finish_reasons");
  static final AttributeKey<String> INPUT = AttributeKey.stringKey("gen_ai.input.messages");
  static final AttributeKey<String> OUTPUT = AttributeKey.stringKey("gen_ai.output.messages");

  static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  static final AttributeKey<String> SERVER_ADDRESS = AttributeKey.stringKey("server.address");
  static final AttributeKey<Long> SERVER_PORT = AttributeKey.longKey("server.port");
  static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  static final AttributeKey<String> ROUTE = AttributeKey.stringKey("http.route");
  static final AttributeKey<Long> STATUS = AttributeKey.longKey("http.response.status_code");

  /** Number of an attempt in its call, from 1. */
  static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("memory_gateway.attempt");

  static final AttributeKey<Boolean> STREAM = AttributeKey.booleanKey("memory_gateway.stream");

  /** Purpose of the gateway's own call: observer or search. */
  static final AttributeKey<String> PURPOSE = AttributeKey.stringKey("memory_gateway.purpose");

  static final AttributeKey<String> PROJECT = AttributeKey.stringKey("memory_gateway.project");
  static final AttributeKey<String> REQUEST_ID =
      AttributeKey.stringKey("memory_gateway.request_id");

  private GenAiAttributes() {}

  /** Name of a provider in the conventions, if they have one; else its configured name. */
  static String provider(String configured) {
    return configured.equals("google") ? "gcp.gemini" : configured;
  }
}
