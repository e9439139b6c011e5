package io.memorygateway.dialect;

import io.memorygateway.sse.SseEvent;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * One endpoint's format, request and answer: the one place where the three differ. Stateless and
 * shared; what belongs to one answer is in its {@link AnswerStream} and {@link AnswerAssembler}.
 */
public interface Dialect {
  /**
   * The body as it goes upstream: the model renamed and, where the format needs asking for it, the
   * usage of a stream asked for. Every byte outside these two edits stays (contract §6).
   *
   * @return UTF-8 JSON; not a copy when nothing changes
   */
  byte[] prepare(RequestBody body, String upstreamModel);

  /** A reader for one streamed answer. */
  AnswerStream openStream();

  /** What an event at the start of a streamed answer says. */
  StartEvent startEvent(SseEvent event);

  /** Whether a body may hold reasoning of earlier answers; costs far less than to look. */
  default boolean mayHoldReasoning(byte[] body) {
    return ReasoningRemoval.mayHold(body);
  }

  /**
   * A body without the reasoning of earlier answers, for a model that another maker made.
   *
   * @param body a request in this format
   * @return not a copy when there is none
   */
  byte[] withoutReasoning(byte[] body);

  /**
   * The tokens that a whole, successful answer reports; checks in the same pass that it is JSON.
   *
   * @throws MalformedAnswerException when it is not exactly one JSON object
   */
  Usage usage(byte[] jsonAnswer) throws MalformedAnswerException;

  /**
   * The conversation in a call.
   *
   * @throws MalformedBodyException when the messages are not where and what they should be: without
   *     them, memory would be lost silently; or when there is more than can be held in memory
   * @throws java.util.concurrent.CancellationException if the thread is interrupted meanwhile
   */
  Conversation read(RequestBody body) throws MalformedBodyException;

  /**
   * The body as {@link #prepare} makes it, with memory in it (contract §7): the caller's system
   * prompt, the observations as a system message of their own, a line for what is left out, the
   * stored messages in this format, and the caller's new messages byte for byte. What upstreams
   * refuse is mended: neighbours of one role, calls without results and results without calls,
   * empty content, ids of tool calls.
   *
   * @param conversation what {@link #read} of this dialect gave, or what is new of it
   * @return UTF-8 JSON
   */
  byte[] write(Conversation conversation, String upstreamModel, MemoryContext context);

  /**
   * The messages in a whole, successful answer, as they are to be stored; none if it says nothing.
   * Of several choices, the first one.
   */
  List<StoredMessage> answer(byte[] jsonAnswer);

  /**
   * Puts together a streamed answer.
   *
   * @param maxBytes how much of it is held in memory, about; a longer one is not whole
   * @param room asked before so many bytes more are held; once there is none, the answer is not
   *     whole either
   */
  AnswerAssembler openAssembler(int maxBytes, LongPredicate room);

  /** Makes answers again from what was stored of them. */
  AnswerReplay replay();

  /**
   * The body of a question of the gateway's own: a system prompt and one user message, answered
   * whole. The temperature and, where it may be left out, the length of the answer are left to the
   * provider: not all models take these settings.
   *
   * @param maxOutputTokens for formats that require it
   * @return UTF-8 JSON
   */
  byte[] question(String upstreamModel, String system, String text, int maxOutputTokens);

  /**
   * The answer to a {@link #question}.
   *
   * @throws MalformedAnswerException when it is not exactly one JSON object
   */
  Completion completion(byte[] jsonAnswer) throws MalformedAnswerException;

  /** Headers that a provider requires of this format, by name; of the gateway's own calls. */
  default Map<String, String> requiredHeaders() {
    return Map.of();
  }
}
