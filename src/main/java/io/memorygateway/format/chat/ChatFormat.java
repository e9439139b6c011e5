package io.memorygateway.format.chat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.memorygateway.figures.Figures;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.ChatChoice;
import io.memorygateway.format.answer.Completion;
import io.memorygateway.format.answer.MalformedAnswerException;
import io.memorygateway.format.answer.StartEvent;
import io.memorygateway.format.answer.StartEvents;
import io.memorygateway.format.answer.UsageMembers;
import io.memorygateway.format.answer.WholeAnswer;
import io.memorygateway.format.call.CallEntry;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.ReasoningRemoval;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.call.ToolIds;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.Documents;
import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.CarriedReasoning;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.Edit;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.NonFinite;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.sse.SseEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;

/** OpenAI Chat Completions. */
public final class ChatFormat implements Format {
  private static final byte[] ERROR = "\"error\"".getBytes(UTF_8);

  private static final List<String> LIMITS = List.of("max_completion_tokens", "max_tokens");

  /** OpenAI's limit; others accept more, but a thread may be continued at OpenAI. */
  static final int MAX_ID_LENGTH = 40;

  /** OpenAI's endpoints of this format, and in what they differ. */
  private enum Kind {
    CHAT(UsageMembers.CHAT, "messages"),
    COMPLETIONS(UsageMembers.CHAT, "prompt"),
    EMBEDDINGS(UsageMembers.EMBEDDINGS, "input");

    /** Of whole answers. */
    @SuppressWarnings("ImmutableEnumChecker") // a constant
    private final UsageMembers usage;

    private final String input;

    Kind(UsageMembers usage, String input) {
      this.usage = usage;
      this.input = input;
    }
  }

  private final Kind kind;

  public ChatFormat() {
    this(Kind.CHAT);
  }

  private ChatFormat(Kind kind) {
    this.kind = kind;
  }

  /** The format of the legacy completions, of which usage and streams are Chat's. */
  public static ChatFormat ofCompletions() {
    return new ChatFormat(Kind.COMPLETIONS);
  }

  public static ChatFormat ofEmbeddings() {
    return new ChatFormat(Kind.EMBEDDINGS);
  }

  @Override
  public String inputMember() {
    return kind.input;
  }

  @Override
  public List<String> limitMembers() {
    return kind == Kind.CHAT ? LIMITS : Format.super.limitMembers();
  }

  @Override
  public boolean hasServersOfStrictRoles() {
    return true;
  }

  @Override
  public String smallStream() {
    return Format.super.smallStream()
        + "\"stream_options\":{\"include_usage\":true},\"max_tokens\":1,";
  }

  @Override
  public boolean hasChoices() {
    return kind != Kind.EMBEDDINGS;
  }

  /**
   * Prepares the body, and requests the usage of a stream even if the caller does not: it is on the
   * last chunk (contract §6). Not of a provider that refuses such a request.
   */
  @Override
  public byte[] prepare(RequestBody body, UpstreamModel model) {
    return body.stream() && model.traits().streamOptions()
        ? body.withModelAndStreamUsage(model.name())
        : body.withModel(model.name());
  }

  @Override
  public AnswerStream openStream() {
    return new ChatStream();
  }

  @Override
  public StartEvent startEvent(SseEvent event) {
    return StartEvents.ofChat(event);
  }

  @Override
  public byte[] withoutReasoning(byte[] body) {
    return ReasoningRemoval.ofChat(body);
  }

  @Override
  public boolean saysReasoning(byte[] body) {
    return ReasoningRemoval.isSaidInChat(body);
  }

  @Override
  public byte[] without(ProviderTraits refused, byte[] body) {
    return ReasoningRemoval.ofChat(body, refused.reasoning(), refused.streamOptions());
  }

  @Override
  public WholeAnswer wholeAnswer(byte[] jsonAnswer) throws MalformedAnswerException {
    WholeAnswer read = kind.usage.readAnswer(jsonAnswer);
    if (!mentionsError(jsonAnswer)) {
      return read;
    }
    try {
      JsonValue choices =
          NonFinite.parse(jsonAnswer, ParseOptions.LENIENT.withLevels(3)).get("choices");
      return choices != null && choices.items().stream().anyMatch(StartEvents::isFailed)
          ? new WholeAnswer(read.usage(), WholeAnswer.Content.ERROR)
          : read;
    } catch (IOException e) {
      return read;
    }
  }

  @Override
  public Conversation read(RequestBody body) throws MalformedBodyException {
    JsonValue root = Conversation.tree(body);
    return new Conversation(body, root, entries(root), false);
  }

  @Override
  public List<CallEntry> entries(JsonValue root) throws MalformedBodyException {
    List<CallEntry> entries = new ArrayList<>();
    for (JsonValue message : Conversation.messagesOf(root).items()) {
      entries.add(Conversation.entry(message, Shape.CHAT));
    }
    return entries;
  }

  @Override
  public byte[] write(Conversation conversation, UpstreamModel model, MemoryContext memory) {
    MemoryContext context = memory.forCall(conversation);
    JsonValue messages = conversation.root().get("messages");
    if (messages == null || (context.isEmpty() && conversation.isComplete())) {
      return prepare(conversation.body(), model);
    }
    JsonWriter json = MessageWriters.array(conversation.head(), context);
    for (String text : context.systemTexts()) {
      MessageWriters.addMessage(json, "system", JsonWriter.quote(text));
    }
    ToolIds ids = new ToolIds(MAX_ID_LENGTH, true);
    List<Utterance> utterances = MessageWriters.prepare(conversation, context, ids, false);
    utterances = new CarriedReasoning(Shape.CHAT, model, ChatReasoning::part).in(utterances);
    new ChatWriter(json, model).write(Documents.told(utterances));
    List<Edit> edits = new ArrayList<>();
    if (conversation.stream() && model.traits().streamOptions()) {
      edits.addAll(conversation.body().usageEdits());
    }
    edits.add(new Edit(messages.start(), messages.end(), json.ascii("]")));
    return conversation.body().withModelAnd(model.name(), edits);
  }

  @Override
  public byte[] inRoles(byte[] body, UpstreamModel model) {
    boolean strict = model.traits().strictRoles();
    Conversation call;
    try {
      call = read(RequestBody.parse(body));
    } catch (MalformedBodyException e) {
      // It is for the upstream to refuse.
      return body;
    }
    MemoryContext none = new MemoryContext(null, List.of());
    JsonWriter json =
        MessageWriters.array(strict ? StrictRoles.led(call.head()) : call.head(), none);
    ToolIds ids = model.ofMistral() ? ToolIds.ofMistral() : new ToolIds(MAX_ID_LENGTH, true);
    List<Utterance> utterances = MessageWriters.prepare(call, none, ids, false);
    new ChatWriter(json, model, null).write(strict ? StrictRoles.ofUser(utterances) : utterances);
    JsonValue messages = requireNonNull(call.root().get("messages"));
    return Edit.apply(body, List.of(new Edit(messages.start(), messages.end(), json.ascii("]"))));
  }

  @Override
  public byte[] withBlankReasoning(byte[] body) {
    return ReasoningRemoval.filledOfChat(body);
  }

  /** Whether {@code "error"} stands anywhere: a look that costs large answers next to nothing. */
  private static boolean mentionsError(byte[] jsonAnswer) {
    for (int i = 0; i + ERROR.length <= jsonAnswer.length; i++) {
      if (jsonAnswer[i] == '"'
          && Arrays.equals(jsonAnswer, i, i + ERROR.length, ERROR, 0, ERROR.length)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public List<StoredMessage> answer(byte[] jsonAnswer) {
    JsonValue message = ChatChoice.piece(first(jsonAnswer), false);
    return message == null ? List.of() : ChatAssembler.messages(message);
  }

  @Override
  public AnswerAssembler openAssembler(int maxBytes, LongPredicate heap, boolean logprobs) {
    return new ChatAssembler(maxBytes, heap, logprobs);
  }

  @Override
  public Translator translator() {
    return new ChatTranslator();
  }

  @Override
  public CountedStream openCounted(ToLongFunction<String> tokens) {
    return new CountedChunks(kind == Kind.CHAT ? translator() : null, tokens);
  }

  @Override
  public AnswerReplay replay() {
    return new ChatReplay();
  }

  @Override
  public byte[] question(
      String upstreamModel, String system, String text, List<Media> shown, int maxOutputTokens) {
    return new JsonWriter(system.length() + text.length() + 128)
        .ascii("{\"model\":")
        .string(upstreamModel)
        .ascii(",\"messages\":[{\"role\":\"system\",\"content\":")
        .string(system)
        .ascii("},{\"role\":\"user\",\"content\":")
        .raw(Media.content("text", text, shown, ChatFormat::part))
        .ascii("}]}")
        .toBytes();
  }

  private static String part(Media media) {
    return media.isPdf()
        ? "{\"type\":\"file\",\"file\":{\"filename\":\"file.pdf\",\"file_data\":"
            + media.quotedUrl()
            + "}}"
        : "{\"type\":\"image_url\",\"image_url\":{\"url\":" + media.quotedUrl() + "}}";
  }

  @Override
  public Completion completion(byte[] jsonAnswer) throws MalformedAnswerException {
    Figures usage = wholeAnswer(jsonAnswer).usage();
    String reason = first(jsonAnswer).string("finish_reason");
    boolean truncated = ChatUsage.stop(reason, null, false, false) == Stop.LENGTH;
    return Completion.of(answer(jsonAnswer), truncated, usage);
  }

  /** The choice that is stored; an empty object without choices. */
  private static JsonValue first(byte[] jsonAnswer) {
    return ChatChoice.first(AnswerMetadata.parse(jsonAnswer));
  }
}
