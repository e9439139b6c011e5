package io.memorygateway.format.answer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.Characters;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The words of an upstream's error, which tell what of the call it refuses. For one thread. */
public final class RefusalWords {
  /** Bytes of an error that are searched for its cause. */
  private static final int MAX_SCANNED_BYTES = 64 << 10;

  /** Phrases by which providers and self-hosted servers report a call that is too long. */
  private static final List<String> CONTEXT_LENGTH =
      List.of(
          "context_length_exceeded",
          "context length exceeded",
          "exceed_context_size",
          "maximum context length",
          "max context length",
          "maximum prompt length",
          "exceeds the context window",
          "context window exceeds",
          "exceeds the context length",
          "exceeds the available context size",
          "exceed context limit",
          "exceed context window of",
          "longer than the model's context length",
          "the model's context length is",
          "greater than the context length",
          "prompt is too long",
          "prompt too long",
          "input is too long",
          "too long to fit into the model",
          "exceeds the maximum number of tokens",
          "longer than the maximum model length",
          "context length of only",
          "exceeded model token limit",
          "tokens + `max_new_tokens` must be",
          "`inputs` must have less than",
          "context window is exceeded",
          "context window exceeded",
          "contextwindowexceeded",
          "context_window_exceeded",
          "exceeds model context",
          "exceeds the model's context",
          "exceed the model's context",
          "exceeds the max_model_len",
          "prompt exceeds max length",
          "input tokens exceed",
          "too many input tokens",
          "too many tokens: total",
          "too many tokens: size limit exceeded",
          "exceeded this model context window",
          "exceeds maximum input length",
          "exceeds maximum sequence length",
          "exceeds the maximum allowed length",
          "should not exceed max_num_tokens",
          "total tokens of image and text exceed",
          ">= n_ctx",
          "cannot exceed the total tokens limit",
          "max_seq_len",
          "maximum supported sequence length",
          "range of input length should be",
          "reduce the length of the messages",
          "total length of messages should be",
          "maximum allowed input length",
          "conversation is too long",
          "context size has been exceeded",
          "configured context size is",
          "reached context length of",
          "but model only supports up to",
          "max_prompt_tokens_exceeded",
          "prompt token count of",
          "tokens_limit_reached",
          "request body too large for");

  /**
   * Phrases by which providers report reasoning that they do not take, or a container, in which a
   * tool of theirs worked, that is there no more.
   */
  private static final List<String> REASONING =
      List.of(
          "encrypted_content",
          "encrypted content",
          "thought_signature",
          "thought signature",
          "reasoning_content",
          "reasoning_details",
          "extra_content",
          "of type 'reasoning' was provided without",
          "items are not persisted when `store`",
          "item id does not belong to this connection",
          "expected container_id",
          "container is expired",
          "blocks in the latest assistant message cannot be modified",
          "in `redacted_thinking` block");

  /** Phrases by which providers report that an answer is told without its reasoning. */
  private static final List<String> MISSING_REASONING =
      List.of("must be passed back", "reasoning_content is missing");

  /** Phrases by which providers report that they are told how much to reason in vain. */
  private static final List<String> EFFORT =
      List.of(
          "reasoning_effort",
          "reasoningeffort",
          "reasoning.effort",
          "output_config.effort",
          "'reasoning', 'effort'",
          "\"reasoning\",\"effort\"",
          "effort parameter",
          "effort level",
          "adaptive thinking is not supported");

  /** Phrases by which providers report that they do not take a member, or its value. */
  private static final List<String> NOT_TAKEN =
      List.of(
          "is deprecated",
          "not support",
          "unsupported",
          "cannot both be",
          "may only be set",
          "array too long",
          "is allowed");

  /** Phrases by which chat templates, their servers and models refuse the roles of messages. */
  private static final List<String> ROLES =
      List.of(
          "system message must be at the beginning",
          "roles must alternate",
          "roles should be alternating",
          "successive user or assistant messages",
          "expected last role",
          "unexpected role",
          "role 'system' is not supported",
          "must end with a user message",
          "invalid_request_message_order",
          "tool call id was");

  private final byte[] body;

  /** In lower case; made when it is first asked for. */
  private @Nullable String text;

  /**
   * @param body as received; not copied
   */
  public RefusalWords(byte[] body) {
    this.body = body;
  }

  /**
   * Whether an answer of status 400 or 413 reports that the call is longer than the model's
   * context.
   */
  public boolean isContextLength() {
    String text = text();
    return says(CONTEXT_LENGTH)
        || (text.contains("input length") && text.contains("exceeds the maximum length"))
        // What is left of the context beside the prompt; -1 is what callers may say.
        || (text.contains("max_tokens must be at least 1, got -") && !text.contains("got -1."));
  }

  private boolean says(List<String> phrases) {
    return phrases.stream().anyMatch(text()::contains);
  }

  private String text() {
    String lowered = text;
    if (lowered == null) {
      lowered =
          new String(body, 0, Math.min(body.length, MAX_SCANNED_BYTES), UTF_8)
              .toLowerCase(Locale.ROOT);
      text = lowered;
    }
    return lowered;
  }

  /**
   * Whether an answer of status 400, 404 or 422 reports that reasoning in the call is another
   * model's or is not known any more, or that the provider takes none.
   */
  public boolean isForeignReasoning() {
    return says(REASONING) || (text().contains("signature") && text().contains("thinking"));
  }

  /**
   * Whether an answer of status 400 or 422 reports that an answer of the model stands in the call
   * without its reasoning.
   */
  public boolean isOfMissingReasoning() {
    return (text().contains("reasoning_content") || text().contains("[].thinking"))
        && says(MISSING_REASONING);
  }

  /**
   * Whether an answer of status 400 reports that a thought is bound to what stood before it when it
   * was made, or that nothing can be said of such thoughts.
   */
  public boolean isBoundThought() {
    return says(List.of("bound to a different conversation", "block_binding"));
  }

  /**
   * Whether an answer of status 400 or 422 reports that the model cannot be told how much to
   * reason, or not so.
   */
  public boolean isOfEffort() {
    return says(EFFORT);
  }

  /**
   * Whether an answer of status 400 or 422 reports that the model does not take one of these
   * members, or its value.
   */
  public boolean isOfMembers(Collection<String> names) {
    // Some servers escape more than JSON asks for; before a name, that would be a part of it.
    String words = text().replace("\\u0027", "'").replace("\\n", " ");
    return says(NOT_TAKEN) && names.stream().anyMatch(name -> Characters.isWord(name, words, 0));
  }

  /**
   * Whether an answer of status 400 or 422 reports that the output limit is above what the model
   * has, whatever the prompt.
   */
  public boolean isOfOutputLimit() {
    return RefusedLimit.isIn(text()) && !isContextLength();
  }

  /**
   * Whether an error reports that the roles of messages, or the ids of calls, are not as the
   * server's chat template or the model demands. Some servers say so with status 404 or 500.
   */
  public boolean isOfRoles() {
    return says(ROLES);
  }
}
