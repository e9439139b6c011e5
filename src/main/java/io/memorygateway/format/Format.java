package io.memorygateway.format;

import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.Completion;
import io.memorygateway.format.answer.MalformedAnswerException;
import io.memorygateway.format.answer.StartEvent;
import io.memorygateway.format.answer.WholeAnswer;
import io.memorygateway.format.call.CallEntry;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.ReasoningRemoval;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonValue;
import io.memorygateway.sse.SseEvent;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;

/**
 * One endpoint's format, request and answer: everything in which the three formats differ.
 * Stateless and shared; the state of one answer is in its {@link AnswerStream} and {@link
 * AnswerAssembler}.
 */
public interface Format extends FormatTraits {
  /**
   * The body as it goes upstream: with the upstream's model name and, in formats that send the
   * usage of a stream only on request, with that request. All other bytes are unchanged (contract
   * §6).
   *
   * @return UTF-8 JSON; not a copy if nothing changes
   */
  byte[] prepare(RequestBody body, UpstreamModel model);

  AnswerStream openStream();

  /** Classifies an event at the start of a streamed answer. */
  StartEvent startEvent(SseEvent event);

  /** Whether a body may hold reasoning of earlier answers; far cheaper than parsing it. */
  default boolean mayHoldReasoning(byte[] body) {
    return ReasoningRemoval.mayHold(body);
  }

  /**
   * The body without the reasoning of earlier answers, for a model of another maker.
   *
   * @param body a request in this format
   * @return UTF-8 JSON; not a copy if there is no reasoning
   */
  byte[] withoutReasoning(byte[] body);

  /** Whether anything is said in what {@link #withoutReasoning} leaves out of a body. */
  default boolean saysReasoning(byte[] body) {
    return true;
  }

  /**
   * The body of a request without what its provider does not take back of earlier answers.
   *
   * @param body a request in this format, written for another provider
   * @param refused what that one takes and this one does not
   * @return UTF-8 JSON; not a copy if there is nothing of the kind
   */
  default byte[] without(ProviderTraits refused, byte[] body) {
    return body;
  }

  /**
   * Reads what a whole answer with a success status says about itself, and checks that it is JSON.
   *
   * @throws MalformedAnswerException if it is not exactly one JSON object
   */
  WholeAnswer wholeAnswer(byte[] jsonAnswer) throws MalformedAnswerException;

  /**
   * Reads the conversation of a call.
   *
   * @throws MalformedBodyException if the messages are missing or malformed, since memory would
   *     then be lost silently; or if there are more than can be held in memory
   * @throws java.util.concurrent.CancellationException if the thread is interrupted meanwhile
   */
  Conversation read(RequestBody body) throws MalformedBodyException;

  /**
   * The messages of a call in order, those of the system among them; see {@link #read}.
   *
   * @param root the body
   */
  List<CallEntry> entries(JsonValue root) throws MalformedBodyException;

  /**
   * The body as {@link #prepare} returns it, with memory in it (contract §7): the caller's system
   * prompt, the observations as a separate system message, a line for what is left out, the stored
   * messages in this format, and the caller's new messages byte for byte. What upstreams refuse is
   * repaired: adjacent messages of one role, calls without results and results without calls, empty
   * content, ids of tool calls.
   *
   * @param conversation the result of {@link #read} of this format, or the new part of it
   * @return UTF-8 JSON
   */
  byte[] write(Conversation conversation, UpstreamModel model, MemoryContext context);

  /**
   * The body of a call with memory in the roles and with the ids of calls that a {@linkplain
   * UpstreamModel#isStrict strict} model takes.
   *
   * @param body a request in this format, as {@link #write} returns it
   * @return UTF-8 JSON
   */
  default byte[] inRoles(byte[] body, UpstreamModel model) {
    return body;
  }

  /**
   * A body with a blank for the reasoning of each of the model's messages that has none, for
   * servers that refuse those without.
   *
   * @param body a request in this format
   * @return the body itself if there is none
   */
  default byte[] withBlankReasoning(byte[] body) {
    return body;
  }

  /**
   * The messages of a whole, successful answer, in the form in which they are stored; none if it is
   * empty. Of several choices, the first one.
   */
  List<StoredMessage> answer(byte[] jsonAnswer);

  /**
   * Opens an assembler of one streamed answer.
   *
   * @param maxBytes approximate bytes of it that are held; a longer answer overflows
   * @param heap asked before so many more bytes are held; if it returns false, the answer overflows
   * @param logprobs whether its metadata has those of Chat, within a bound
   */
  AnswerAssembler openAssembler(int maxBytes, LongPredicate heap, boolean logprobs);

  Translator translator();

  @Override
  default String inputMember() {
    return translator().inputMember();
  }

  /**
   * Opens the count of a stream in this format.
   *
   * @param tokens of a text
   */
  CountedStream openCounted(ToLongFunction<String> tokens);

  /** Rebuilds answers from what was stored of them. */
  AnswerReplay replay();

  /**
   * The body of a question that the gateway itself asks: a system prompt and one user message with
   * images and PDF files behind its text, not streamed. The temperature and, if it is optional, the
   * length of the answer are left to the provider: not all models accept these settings.
   *
   * @param shown with their data and its type
   * @param maxOutputTokens for formats that require it
   * @return UTF-8 JSON
   */
  byte[] question(
      String upstreamModel, String system, String text, List<Media> shown, int maxOutputTokens);

  /**
   * Reads the answer to a {@link #question}.
   *
   * @throws MalformedAnswerException if it is not exactly one JSON object
   */
  Completion completion(byte[] jsonAnswer) throws MalformedAnswerException;

  /** Headers by name that a provider of this format requires, for the gateway's own calls. */
  default Map<String, String> requiredHeaders() {
    return Map.of();
  }
}
