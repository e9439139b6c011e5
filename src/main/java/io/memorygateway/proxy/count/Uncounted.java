package io.memorygateway.proxy.count;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.call.BroughtTools;
import io.memorygateway.format.call.CallEntry;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.content.MessagePiece;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.NonFinite;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.json.ValueCount;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.sse.EventSplitter;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A call whose upstream did not say all tokens, and what they are counted by.
 *
 * @param asked the body that went up, in the called format; null if its tokens are known
 * @param answer a whole answer, or the beginning of a stream; null if its tokens are known
 * @param length of the whole answer in bytes
 * @param tokens of the answer, where that is null; {@link Figures#UNKNOWN} if the upstream said
 *     them
 * @param knowsDetail whether the format in which it went up says the detail of an image
 * @param most whether images count as the most that a model of today counts for them
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Uncounted(
    Endpoint endpoint,
    byte @Nullable [] asked,
    byte @Nullable [] answer,
    long length,
    boolean stream,
    long tokens,
    boolean knowsDetail,
    boolean most) {

  /** Bytes of a token where nothing better is known. */
  public static final int BYTES_PER_TOKEN = 4;

  /** Bodies with more JSON values are not read to be counted: no model takes as many tokens. */
  private static final int MAX_VALUES = 1_000_000;

  private static final ParseOptions BODY = ParseOptions.LENIENT.withMaxValues(MAX_VALUES);

  private static final int MAX_REFERENCE = 4096;

  /** The members of turns that are counted by themselves, besides what their model is given. */
  private static final Set<String> COUNTED_OF_TURNS = Set.of("system", "instructions", "tools");

  /** Members that no provider reads to a model: how it is to answer, and who asks. */
  private static final Set<String> SETTINGS =
      Set.of(
          "model",
          "models",
          "fallbacks",
          "stream_options",
          "stop",
          "stop_sequences",
          "user",
          "metadata",
          "client_metadata",
          "safety_identifier",
          "prompt_cache_key",
          "prompt_cache_retention",
          "service_tier",
          "speed",
          "inference_geo",
          "logit_bias",
          "tool_choice",
          "reasoning",
          "reasoning_effort",
          "verbosity",
          "thinking",
          "include",
          "truncation",
          "previous_response_id",
          "conversation",
          "modalities",
          "audio",
          "container",
          "encoding_format",
          "cache_control",
          "provider",
          "thread");

  private static final Set<String> KNOWN_OF_MESSAGE =
      Set.of(
          "content",
          "refusal",
          "tool_calls",
          "function_call",
          "role",
          "name",
          "type",
          "id",
          "status",
          "phase",
          "tool_call_id",
          "cache_control");

  /** Of an input, the part that is counted as JSON and says little of how its provider counts. */
  private static final int SMALL_PART = 16;

  /**
   * The input of a call.
   *
   * @param ofNoText those of the tokens that no text counts: of images, files and tokens as numbers
   * @param hasUnseen whether some of it is billed by contents that are not seen here: images, files
   *     without their text, and references to what the provider keeps; or in a way that is not
   *     known
   */
  public record Input(long tokens, long ofNoText, boolean hasUnseen) {
    /** The tokens that are likely where the bytes of texts were taken for them. */
    public long likelyByBytes() {
      return ofNoText + (tokens - ofNoText) / BYTES_PER_TOKEN;
    }
  }

  long bytes() {
    return (asked == null ? 0L : asked.length) + (answer == null ? 0L : answer.length);
  }

  /** The tokens by the number of bytes alone. */
  Figures byLength() {
    return figures(
        asked == null ? Figures.UNKNOWN : asked.length / BYTES_PER_TOKEN,
        answer == null ? tokens : length / BYTES_PER_TOKEN);
  }

  /** Counts the tokens; takes as long as its texts are. */
  Figures count(TokenCounter counter) {
    return figures(
        asked == null ? Figures.UNKNOWN : input(asked, counter).tokens(),
        answer == null ? tokens : tokensOfAnswer(answer, counter));
  }

  private static Figures figures(long input, long output) {
    return Figures.NONE.with(Figure.INPUT_TOKENS, input).with(Figure.OUTPUT_TOKENS, output);
  }

  /**
   * Counts the input of a call; takes as long as its texts are.
   *
   * @param root the body, read whole
   */
  public static Input input(
      Endpoint endpoint,
      byte[] body,
      JsonValue root,
      boolean knowsDetail,
      boolean most,
      TokenCounter counter) {
    return new Uncounted(endpoint, body, null, 0, false, Figures.UNKNOWN, knowsDetail, most)
        .input(body, root, counter);
  }

  private Input input(byte[] body, TokenCounter counter) {
    try {
      return input(body, JsonValue.parse(body, BODY), counter);
    } catch (MalformedJsonException e) {
      return unread(body);
    }
  }

  private static Input unread(byte[] body) {
    return new Input(body.length / BYTES_PER_TOKEN, 0, true);
  }

  private Input input(byte[] body, JsonValue root, TokenCounter counter) {
    // A value takes a byte at least.
    if (body.length > MAX_VALUES && ValueCount.of(body) > MAX_VALUES) {
      return unread(body);
    }
    if (!endpoint.hasMemory()) {
      JsonValue texts = root.get(endpoint.format().inputMember());
      return input(tokens(texts, counter), ofNoText(texts), rest(root, counter), hasObjects(texts));
    }
    List<CallEntry> entries;
    try {
      entries = endpoint.format().entries(root);
    } catch (MalformedBodyException e) {
      return unread(body);
    }
    long tokens = counter.count(Conversation.systemPrompt(root, entries));
    Translator translator = endpoint.format().translator();
    tokens += InputTokens.ofTools(translator, root.get("tools"), counter);
    // Themselves they count with what brings them.
    tokens += InputTokens.added(translator, BroughtTools.in(root), counter);
    long rest = rest(root, counter);
    long ofNoText = 0;
    boolean hasUnseen = false;
    for (CallEntry entry : entries) {
      JsonValue content = entry.content();
      List<MessagePiece> given =
          content == null
              ? besideTexts(entry.instructions())
              : FileTokens.in(MessagePiece.of(content));
      List<MessagePiece> pieces = FileTokens.withTexts(given);
      long sizes = sizes(pieces, counter);
      tokens += withSizes(pieces, sizes, counter);
      tokens += content == null ? 0 : ofDocuments(content, counter);
      ofNoText += sizes;
      hasUnseen |= hasUnseen(given);
      rest += content == null ? 0 : restOf(content, counter);
    }
    return input(tokens, ofNoText, rest, hasUnseen);
  }

  /** What the system says beside the texts of its prompt: tools, images and the like. */
  private static List<MessagePiece> besideTexts(JsonValue instructions) {
    return MessagePiece.of(instructions).stream()
        .filter(piece -> !(piece instanceof MessagePiece.Text))
        .toList();
  }

  private static Input input(long tokens, long ofNoText, long rest, boolean hasUnseen) {
    return new Input(tokens + rest, ofNoText, hasUnseen || rest > tokens / SMALL_PART);
  }

  /**
   * What further members of a call count as JSON, such as the schema of its answer: providers read
   * them to the model in ways of their own.
   */
  private long rest(JsonValue root, TokenCounter counter) {
    long tokens = 0;
    for (JsonValue.Field field : root.fields()) {
      JsonValue value = field.value();
      String name = field.name();
      boolean isText = value.isString() || value.isObject() || value.isArray();
      boolean isCounted =
          name.equals(endpoint.format().inputMember())
              || (endpoint.hasMemory() && COUNTED_OF_TURNS.contains(name));
      if (isText && !isCounted && !SETTINGS.contains(name)) {
        tokens += counter.count(value.raw());
      }
    }
    return tokens;
  }

  /** The same of a message, in which some providers read reasoning and the like. */
  private static long restOf(JsonValue content, TokenCounter counter) {
    boolean isMessage = content.get("type") == null || content.text("type").equals("message");
    return content.isObject() && isMessage
        ? counter.count(content.rawMembers(name -> !KNOWN_OF_MESSAGE.contains(name)))
        : 0;
  }

  /** What documents of Messages say of themselves, beside what they are. */
  private static long ofDocuments(JsonValue content, TokenCounter counter) {
    long tokens = 0;
    for (JsonValue block : content.items()) {
      switch (block.text("type")) {
        case "document" ->
            tokens += counter.count(block.text("title")) + counter.count(block.text("context"));
        case "tool_result" -> tokens += ofDocuments(block.at("content"), counter);
        default -> {}
      }
    }
    return tokens;
  }

  private static boolean hasObjects(@Nullable JsonValue input) {
    return input != null
        && (input.isObject() || input.items().stream().anyMatch(JsonValue::isObject));
  }

  private static boolean hasUnseen(List<MessagePiece> pieces) {
    return pieces.stream()
        .anyMatch(
            piece ->
                piece instanceof MessagePiece.ToolResult result
                    ? hasUnseen(result.content())
                    : piece instanceof MessagePiece.Attachment it
                        ? it.text() == null
                        : piece instanceof MessagePiece.Other other && isReference(other.json()));
  }

  private static boolean isReference(String json) {
    return json.length() <= MAX_REFERENCE
        && JsonValue.of(json).text("type").equals("item_reference");
  }

  /** A text, tokens as numbers, an object of an image or of texts, or several of them. */
  private static long tokens(@Nullable JsonValue input, TokenCounter counter) {
    if (input == null) {
      return 0;
    }
    if (input.isObject()) {
      return isImage(input) ? TokenCounter.ATTACHMENT_TOKENS : counter.countContent(input.raw());
    }
    if (!input.isArray()) {
      return input.isString() ? counter.count(input.text()) : 1;
    }
    return input.items().stream().mapToLong(item -> tokens(item, counter)).sum();
  }

  /** What of {@link #tokens(JsonValue, TokenCounter)} no text counts. */
  private static long ofNoText(@Nullable JsonValue input) {
    if (input == null || input.isString()) {
      return 0;
    }
    if (input.isObject()) {
      return isImage(input) ? TokenCounter.ATTACHMENT_TOKENS : 0;
    }
    return input.isArray() ? input.items().stream().mapToLong(Uncounted::ofNoText).sum() : 1;
  }

  private static boolean isImage(JsonValue object) {
    return object.get("image") != null && object.fields().size() == 1;
  }

  private long tokens(List<StoredMessage> messages, TokenCounter counter) {
    return messages.stream()
        .map(message -> FileTokens.withTexts(MessagePiece.of(message.content())))
        .mapToLong(pieces -> withSizes(pieces, sizes(pieces, counter), counter))
        .sum();
  }

  /** The tokens of pieces, of images and files by their size. */
  private static long withSizes(List<MessagePiece> pieces, long sizes, TokenCounter counter) {
    return counter.count(pieces) + sizes - TokenCounter.ATTACHMENT_TOKENS * attachments(pieces);
  }

  private static long attachments(List<MessagePiece> pieces) {
    return pieces.stream()
        .mapToLong(
            piece ->
                piece instanceof MessagePiece.ToolResult result
                    ? attachments(result.content())
                    : piece instanceof MessagePiece.Attachment it && it.text() == null ? 1 : 0)
        .sum();
  }

  /** What images and files count by their size. */
  private long sizes(List<MessagePiece> pieces, TokenCounter counter) {
    long tokens = 0;
    for (MessagePiece piece : pieces) {
      if (piece instanceof MessagePiece.ToolResult result) {
        tokens += sizes(result.content(), counter);
      } else if (piece instanceof MessagePiece.Attachment it && it.text() == null) {
        tokens +=
            it.image()
                ? ImageTokens.of(
                    it.media(),
                    knowsDetail || !"low".equals(it.detail()) ? it.detail() : null,
                    endpoint.format().hasImageDetail(),
                    most)
                : FileTokens.size(it.media(), counter);
      }
    }
    return tokens;
  }

  private long tokensOfAnswer(byte[] begin, TokenCounter counter) {
    boolean inChunks = endpoint.format().hasChoices();
    CountedStream chunks = endpoint.format().openCounted(counter::count);
    if (!stream) {
      return inChunks
          ? read(chunks, begin)
          : tokens(endpoint.format().answer(NonFinite.asNull(begin)), counter);
    }
    AnswerAssembler assembler = endpoint.format().openAssembler(begin.length, more -> true, false);
    long[] tokens = {0};
    EventSplitter.Sink sink =
        inChunks ? event -> tokens[0] += read(chunks, event.data()) : assembler::accept;
    try {
      SseSplitter splitter = new SseSplitter(begin.length + 1);
      splitter.feed(begin, 0, begin.length, sink);
      splitter.finish(sink);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e); // the sinks throw none
    }
    long all = tokens[0] + tokens(assembler.messages(), counter);
    return begin.length == 0 ? length / BYTES_PER_TOKEN : all * length / begin.length;
  }

  /** The tokens of a whole answer, or of a chunk of one. */
  private static long read(CountedStream chunks, byte[] json) {
    try {
      return chunks.read("", NonFinite.parse(json, ParseOptions.LENIENT));
    } catch (MalformedJsonException e) {
      return 0; // the end of a stream, for example
    }
  }
}
