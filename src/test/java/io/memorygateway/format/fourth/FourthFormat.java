package io.memorygateway.format.fourth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.answer.AnswerMetadata;
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
import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.Edit;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.sse.SseEvent;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;

/**
 * A format that no provider has, with members, roles and events of its own: it shows that a format
 * is one package.
 */
public final class FourthFormat implements Format {
  @Override
  public byte[] prepare(RequestBody body, UpstreamModel model) {
    return body.withModel(model.name());
  }

  @Override
  public List<String> limitMembers() {
    return List.of("most");
  }

  @Override
  public long leastLimit() {
    return 8;
  }

  @Override
  public AnswerStream openStream() {
    return new FourthStream();
  }

  @Override
  public StartEvent startEvent(SseEvent event) {
    if (event.dataStart() == event.dataEnd()) {
      return StartEvent.COMMENT;
    }
    JsonValue line = JsonValue.of(new String(event.data(), UTF_8));
    boolean start = line.text("kind").equals("start");
    return line.get("error") != null
        ? StartEvent.ERROR
        : start ? StartEvent.EMPTY : StartEvent.CONTENT;
  }

  /** It has none. */
  @Override
  public byte[] withoutReasoning(byte[] body) {
    return body;
  }

  @Override
  public WholeAnswer wholeAnswer(byte[] jsonAnswer) throws MalformedAnswerException {
    return FourthAnswers.USAGE.readAnswer(jsonAnswer);
  }

  @Override
  public Conversation read(RequestBody body) throws MalformedBodyException {
    JsonValue root = Conversation.tree(body);
    return new Conversation(body, root, entries(root), false);
  }

  @Override
  public List<CallEntry> entries(JsonValue root) throws MalformedBodyException {
    return FourthMessages.entries(root);
  }

  @Override
  public byte[] write(Conversation conversation, UpstreamModel model, MemoryContext memory) {
    MemoryContext context = memory.forCall(conversation);
    JsonValue say = conversation.root().get("say");
    if (say == null || (context.isEmpty() && conversation.isComplete())) {
      return prepare(conversation.body(), model);
    }
    JsonWriter json = MessageWriters.array(conversation.head(), context);
    for (String text : context.systemTexts()) {
      json.element().raw(FourthMessages.message(FourthMessages.RULES, text).toString());
    }
    List<Utterance> said = MessageWriters.prepare(conversation, context, translator().ids(), false);
    FourthMessages.write(said, json);
    return conversation
        .body()
        .withModelAnd(model.name(), List.of(new Edit(say.start(), say.end(), json.ascii("]"))));
  }

  @Override
  public List<StoredMessage> answer(byte[] jsonAnswer) {
    return FourthStream.messages(
        FourthAnswers.read(AnswerMetadata.parse(jsonAnswer), new CallIds()));
  }

  @Override
  public AnswerAssembler openAssembler(int maxBytes, LongPredicate heap, boolean again) {
    return new FourthStream.Assembler(maxBytes, heap);
  }

  @Override
  public Translator translator() {
    return new FourthTranslator();
  }

  @Override
  public CountedStream openCounted(ToLongFunction<String> tokens) {
    return new FourthStream.Counted(tokens);
  }

  @Override
  public AnswerReplay replay() {
    return new FourthReplay();
  }

  @Override
  public byte[] question(
      String upstreamModel, String system, String text, List<Media> shown, int maxOutputTokens) {
    return new JsonObject()
        .string("model", upstreamModel)
        .raw(
            "say",
            "["
                + FourthMessages.message(FourthMessages.RULES, system)
                + ","
                + FourthMessages.message("human", text)
                + "]")
        .toBytes();
  }

  @Override
  public Completion completion(byte[] jsonAnswer) throws MalformedAnswerException {
    boolean cut =
        FourthAnswers.read(AnswerMetadata.parse(jsonAnswer), new CallIds()).stop() == Stop.LENGTH;
    return Completion.of(answer(jsonAnswer), cut, wholeAnswer(jsonAnswer).usage());
  }
}
