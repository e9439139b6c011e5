package io.memorygateway.format.chat;

import io.memorygateway.format.translation.Member;
import java.util.List;

/** The members of Chat's requests, and what becomes of each towards another format. */
final class ChatMembers {
  /** In the order of {@code translation.md}. */
  static final List<Member> ALL =
      List.of(
          Member.mapped("messages", "below"),
          Member.mapped("model", "the target's name of it"),
          Member.shared("audio"),
          Member.shared("frequency_penalty", "0", "0.0"),
          Member.mapped("function_call", "tool_choice"),
          Member.mapped("functions", "tools"),
          Member.shared("logit_bias", "{}"),
          Member.shared("logprobs", "false"),
          Member.mapped("max_completion_tokens", "max_tokens, max_output_tokens"),
          Member.mapped("max_tokens", "max_tokens, max_output_tokens"),
          Member.shared("metadata", "{}"),
          Member.shared("modalities", "[\"text\"]"),
          Member.shared("moderation"),
          Member.refused("n", "other formats give one answer.", "1"),
          Member.mapped("parallel_tool_calls", "disable_parallel_tool_use, parallel_tool_calls"),
          Member.shared("prediction"),
          Member.shared("presence_penalty", "0", "0.0"),
          Member.shared("prompt_cache_key"),
          Member.shared("prompt_cache_options"),
          Member.shared("prompt_cache_retention"),
          Member.mapped("reasoning_effort", "output_config.effort or thinking, reasoning.effort"),
          Member.mapped("response_format", "output_config.format, text.format"),
          Member.shared("safety_identifier"),
          Member.shared("seed"),
          Member.shared("service_tier", "\"auto\"", "\"default\""),
          Member.mapped("stop", "stop_sequences; Responses has none and refuses"),
          Member.shared("store", "false"),
          Member.mapped("stream", "stream"),
          Member.silent("stream_options", "the usage of a stream is always told"),
          Member.shared("temperature", "1", "1.0"),
          Member.mapped("tool_choice", "tool_choice"),
          Member.mapped("tools", "tools"),
          Member.shared("top_logprobs", "0"),
          Member.shared("top_p", "1", "1.0"),
          Member.mapped("user", "metadata.user_id, user"),
          Member.shared("verbosity", "\"medium\""),
          Member.shared("web_search_options"));

  private ChatMembers() {}
}
