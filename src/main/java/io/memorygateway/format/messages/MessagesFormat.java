package io.memorygateway.format.messages;

import io.memorygateway.figures.Figures;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.Completion;
import io.memorygateway.format.answer.MalformedAnswerException;
import io.memorygateway.format.answer.StartEvent;
import io.memorygateway.format.answer.StartEvents;
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
import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.CarriedReasoning;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.Edit;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.sse.SseEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Anthropic Messages. */
public final class MessagesFormat implements Format {
  private static final int MAX_ID_LENGTH = 64;
  private static final int MAX_NAME = 128;

  /** A speed is paid as a tier is, and an answer tells it as such. */
  @Override
  public @Nullable String serviceTier(JsonValue call) {
    return "fast".equals(call.string("speed")) ? "fast" : Format.super.serviceTier(call);
  }

  @Override
  public boolean bringsTools() {
    return true;
  }

  @Override
  public boolean namesThreads() {
    return true;
  }

  @Override
  public boolean bindsThoughts() {
    return true;
  }

  @Override
  public boolean hasImageDetail() {
    return false;
  }

  @Override
  public boolean beginsWithInput() {
    return true;
  }

  /** Anthropic gives twenty, if it is not asked for more. */
  @Override
  public String modelsQuery() {
    return "?limit=1000";
  }

  @Override
  public byte[] prepare(RequestBody body, UpstreamModel model) {
    return body.withModel(model.name());
  }

  @Override
  public AnswerStream openStream() {
    return new MessagesStream();
  }

  @Override
  public StartEvent startEvent(SseEvent event) {
    return StartEvents.ofMessages(event);
  }

  @Override
  public byte[] withoutReasoning(byte[] body) {
    return ReasoningRemoval.ofMessages(body, block -> true);
  }

  @Override
  public byte[] without(ProviderTraits refused, byte[] body) {
    return refused.unsignedThinking()
        ? ReasoningRemoval.ofMessages(body, block -> !MessagesBlocks.isSigned(block))
        : body;
  }

  @Override
  public WholeAnswer wholeAnswer(byte[] jsonAnswer) throws MalformedAnswerException {
    return new MessagesUsage().readAnswer(jsonAnswer);
  }

  @Override
  public Conversation read(RequestBody body) throws MalformedBodyException {
    JsonValue root = Conversation.tree(body);
    return new Conversation(body, root, entries(root), false);
  }

  @Override
  public List<CallEntry> entries(JsonValue root) throws MalformedBodyException {
    JsonValue system = Conversation.only(root, "system");
    if (system != null && !system.isString() && !system.isArray() && !system.isNull()) {
      throw new MalformedBodyException("system must be a string or an array.");
    }
    List<CallEntry> entries = new ArrayList<>();
    for (JsonValue message : Conversation.messagesOf(root).items()) {
      entries.add(Conversation.entry(message, Shape.MESSAGES));
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
    ToolIds ids = new ToolIds(MAX_ID_LENGTH, false, MAX_NAME);
    List<Utterance> utterances = MessageWriters.prepare(conversation, context, ids, true);
    utterances =
        new CarriedReasoning(Shape.MESSAGES, model, MessagesBlocks::thought).in(utterances);
    MessagesBlocks written =
        new MessagesBlocks(
            model.traits().unsignedThinking(),
            null,
            new ToolReferences(() -> MessagesTools.known(conversation)));
    MessagesWriter writer = new MessagesWriter(utterances, written);
    StableMarks marks = new StableMarks(conversation, context, model.translated());
    List<Edit> edits = new ArrayList<>(MessagesTools.edits(conversation, messages, utterances));
    edits.addAll(marks.set(writer));
    JsonWriter json = MessageWriters.array(conversation.head(), context);
    writer.write(json);
    List<String> blocks = new ArrayList<>();
    for (String text : context.systemTexts()) {
      String block = Part.textPart("text", JsonWriter.quote(text));
      blocks.add(text.equals(context.stableText()) ? marks.ofLog(block) : block);
    }
    blocks.addAll(writer.systemBlocks());
    if (!blocks.isEmpty()) {
      edits.add(systemEdit(conversation, String.join(",", blocks)));
    }
    edits.add(new Edit(messages.start(), messages.end(), json.ascii("]")));
    return conversation.body().withModelAnd(model.name(), edits);
  }

  /** Adds blocks after the caller's own system prompt, whose bytes are unchanged. */
  private static Edit systemEdit(Conversation conversation, String blocks) {
    JsonValue system = conversation.root().member("system");
    if (system == null) {
      return Edit.insert(conversation.body().afterModel(), ",\"system\":[" + blocks + "]");
    }
    if (system.isArray()) {
      return Edit.insert(system.end() - 1, (system.items().isEmpty() ? "" : ",") + blocks);
    }
    String own = system.text().isBlank() ? "" : Part.textPart("text", system.raw()) + ",";
    return new Edit(system.start(), system.end(), "[" + own + blocks + "]");
  }

  @Override
  public byte[] withBlankReasoning(byte[] body) {
    return ReasoningRemoval.filledOfMessages(body);
  }

  @Override
  public List<StoredMessage> answer(byte[] jsonAnswer) {
    JsonValue content = AnswerMetadata.parse(jsonAnswer).get("content");
    return content == null || (content.isArray() && content.items().isEmpty())
        ? List.of()
        : List.of(StoredMessage.of("assistant", content));
  }

  @Override
  public AnswerAssembler openAssembler(int maxBytes, LongPredicate heap, boolean logprobs) {
    return new MessagesAssembler(maxBytes, heap);
  }

  @Override
  public Translator translator() {
    return new MessagesTranslator();
  }

  @Override
  public CountedStream openCounted(ToLongFunction<String> tokens) {
    return new CountedBlocks(translator().openReader("", new CallIds()), tokens);
  }

  @Override
  public AnswerReplay replay() {
    return new MessagesReplay();
  }

  @Override
  public byte[] question(
      String upstreamModel, String system, String text, List<Media> shown, int maxOutputTokens) {
    return new JsonWriter(system.length() + text.length() + 128)
        .ascii("{\"model\":")
        .string(upstreamModel)
        .ascii(",\"max_tokens\":")
        .number(maxOutputTokens)
        .ascii(",\"system\":")
        .string(system)
        .ascii(",\"messages\":[{\"role\":\"user\",\"content\":")
        .raw(Media.content("text", text, shown, MessagesFormat::part))
        .ascii("}]}")
        .toBytes();
  }

  private static String part(Media media) {
    return "{\"type\":\""
        + (media.isPdf() ? "document" : "image")
        + "\",\"source\":{\"type\":\"base64\",\"media_type\":"
        + JsonWriter.quote(Objects.requireNonNull(media.type()))
        + ",\"data\":"
        + JsonWriter.quote(Objects.requireNonNull(media.data()))
        + "}}";
  }

  @Override
  public Completion completion(byte[] jsonAnswer) throws MalformedAnswerException {
    Figures usage = wholeAnswer(jsonAnswer).usage();
    return Completion.of(
        answer(jsonAnswer),
        AnswerMetadata.parse(jsonAnswer).text("stop_reason").equals("max_tokens"),
        usage);
  }

  @Override
  public Map<String, String> requiredHeaders() {
    return Map.of("anthropic-version", "2023-06-01");
  }
}
