package io.memorygateway.format.responses;

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
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.CarriedReasoning;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.Edit;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.sse.SseEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * OpenAI Responses. {@code store}, {@code previous_response_id} and {@code conversation} concern
 * only the caller and the upstream and pass unchanged; of the latter two, see {@link
 * Conversation#upstreamHoldsHistory()}. An {@code item_reference} stands for the stored item of
 * that id, and is history if the thread has it; else it goes upstream as it is.
 */
public final class ResponsesFormat implements Format {
  private static final int MAX_ID_LENGTH = 64;

  @Override
  public List<String> limitMembers() {
    return List.of("max_output_tokens");
  }

  @Override
  public long leastLimit() {
    return 16;
  }

  @Override
  public String smallStream() {
    return Format.super.smallStream() + "\"max_output_tokens\":16,";
  }

  @Override
  public boolean bringsTools() {
    return true;
  }

  @Override
  public boolean isKeptByProviders() {
    return true;
  }

  @Override
  public byte[] prepare(RequestBody body, UpstreamModel model) {
    return body.withModel(model.name());
  }

  @Override
  public AnswerStream openStream() {
    return new ResponsesStream();
  }

  @Override
  public StartEvent startEvent(SseEvent event) {
    return StartEvents.ofResponses(event);
  }

  @Override
  public byte[] withoutReasoning(byte[] body) {
    return ReasoningRemoval.ofResponses(body, ResponsesParts::withoutReasoning);
  }

  @Override
  public byte[] without(ProviderTraits refused, byte[] body) {
    return refused.unsignedThinking()
        ? ReasoningRemoval.ofResponses(
            body, ResponsesParts::isUnsealed, ResponsesParts::withoutReasoning)
        : body;
  }

  @Override
  public WholeAnswer wholeAnswer(byte[] jsonAnswer) throws MalformedAnswerException {
    return UsageMembers.RESPONSES.readAnswer(jsonAnswer);
  }

  /**
   * Reads the conversation. {@code input} may be missing: a stored prompt or conversation can
   * replace it.
   */
  @Override
  public Conversation read(RequestBody body) throws MalformedBodyException {
    JsonValue root = Conversation.tree(body);
    boolean held = root.get("previous_response_id") != null || root.get("conversation") != null;
    return new Conversation(body, root, entries(root), held);
  }

  @Override
  public List<CallEntry> entries(JsonValue root) throws MalformedBodyException {
    JsonValue input = Conversation.only(root, "input");
    List<CallEntry> entries = new ArrayList<>();
    if (input != null && input.isString()) {
      entries.add(new CallEntry(input, "user", input));
    } else if (input != null && input.isArray()) {
      Set<String> calls = new HashSet<>();
      for (JsonValue item : input.items()) {
        String id = item.text("call_id");
        entries.add(entry(item, !id.isEmpty() && !calls.add(id)));
      }
    } else if (input != null && !input.isNull()) {
      throw new MalformedBodyException("input must be a string or an array.");
    }
    return entries;
  }

  private static CallEntry entry(JsonValue item, boolean answers) throws MalformedBodyException {
    String type = item.string("type");
    if (ResponsesItems.isBareReference(item)) {
      return entry(item, ResponsesItems.reference(item), false);
    }
    if (type == null) {
      return Conversation.entry(item, Shape.RESPONSES);
    }
    if (ResponsesItems.isOfTheCall(item)) {
      return CallEntry.ofSystem(item); // The caller's, and often the only list of its tools.
    }
    if (type.equals("message")) {
      CallEntry entry = Conversation.entry(item, Shape.RESPONSES);
      return entry.content() == null ? entry : entry(item, item, false);
    }
    return entry(item, item, answers);
  }

  private static CallEntry entry(JsonValue item, JsonValue content, boolean answers) {
    return new CallEntry(item, ResponsesItems.role(content, answers), content);
  }

  @Override
  public byte[] write(Conversation conversation, UpstreamModel model, MemoryContext memory) {
    MemoryContext context = memory.forCall(conversation);
    if (conversation.upstreamHoldsHistory() || (context.isEmpty() && conversation.isComplete())) {
      return prepare(conversation.body(), model);
    }
    JsonValue root = conversation.root();
    JsonWriter items = MessageWriters.array(conversation.head(), context);
    context
        .systemTexts()
        .forEach(text -> MessageWriters.addMessage(items, "system", JsonWriter.quote(text)));
    JsonValue store = root.get("store");
    boolean upstreamStores = store == null || !store.raw().equals("false");
    ToolIds ids = new ToolIds(MAX_ID_LENGTH, false);
    boolean partial = memory.isPartial() || conversation.lacksThoughts();
    new ResponsesWriter(items, upstreamStores, partial, model.traits().unsignedThinking())
        .write(
            Documents.told(
                new CarriedReasoning(Shape.RESPONSES, model, ResponsesParts::thought)
                    .in(MessageWriters.prepare(conversation, context, ids, false))));
    items.ascii("]");
    JsonValue input = inputOf(root);
    int afterModel = conversation.body().afterModel();
    List<Edit> edits =
        input == null
            ? List.of(
                Edit.insert(afterModel, ",\"input\":"), new Edit(afterModel, afterModel, items))
            : List.of(new Edit(input.start(), input.end(), items));
    return conversation.body().withModelAnd(model.name(), edits);
  }

  private static @Nullable JsonValue inputOf(JsonValue root) {
    return root.fields().stream()
        .filter(field -> field.name().equals("input"))
        .map(JsonValue.Field::value)
        .findFirst()
        .orElse(null);
  }

  @Override
  public List<StoredMessage> answer(byte[] jsonAnswer) {
    return ResponsesItems.of(AnswerMetadata.parse(jsonAnswer)).stream()
        .map(ResponsesItems::stored)
        .toList();
  }

  @Override
  public AnswerAssembler openAssembler(int maxBytes, LongPredicate heap, boolean logprobs) {
    return new ResponsesAssembler(maxBytes, heap);
  }

  @Override
  public Translator translator() {
    return new ResponsesTranslator();
  }

  @Override
  public CountedStream openCounted(ToLongFunction<String> tokens) {
    return new CountedItems(translator().openReader("", new CallIds()), tokens);
  }

  @Override
  public AnswerReplay replay() {
    return new ResponsesReplay();
  }

  @Override
  public byte[] question(
      String upstreamModel, String system, String text, List<Media> shown, int maxOutputTokens) {
    String content = Media.content("input_text", text, shown, ResponsesFormat::part);
    return new JsonWriter(system.length() + text.length() + 128)
        .ascii("{\"model\":")
        .string(upstreamModel)
        .ascii(",\"instructions\":")
        .string(system)
        .ascii(",\"input\":")
        .raw(shown.isEmpty() ? content : "[{\"role\":\"user\",\"content\":" + content + "}]")
        .ascii(",\"store\":false}")
        .toBytes();
  }

  private static String part(Media media) {
    return media.isPdf()
        ? "{\"type\":\"input_file\",\"filename\":\"file.pdf\",\"file_data\":"
            + media.quotedUrl()
            + "}"
        : "{\"type\":\"input_image\",\"image_url\":" + media.quotedUrl() + "}";
  }

  @Override
  public Completion completion(byte[] jsonAnswer) throws MalformedAnswerException {
    Figures usage = wholeAnswer(jsonAnswer).usage();
    return Completion.of(
        answer(jsonAnswer),
        AnswerMetadata.parse(jsonAnswer).text("status").equals("incomplete"),
        usage);
  }
}
