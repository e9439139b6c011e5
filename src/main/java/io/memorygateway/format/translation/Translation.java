package io.memorygateway.format.translation;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.call.ToolIds;
import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.NonFinite;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.json.Sha256;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One call of one format at a target of another: the call written for it, and its answer. */
public final class Translation {
  private static final int CACHE_KEY_LENGTH = 32;

  /** Bytes of a body that is held whole. */
  private static final int SMALL = 16 << 10;

  private static final Set<String> MESSAGES = Set.of("messages", "input", "system");

  /** What a target may say of the input before it answers. */
  private static final List<Figure> INPUT =
      List.of(
          Figure.INPUT_TOKENS,
          Figure.CACHED_INPUT_TOKENS,
          Figure.CACHE_WRITE,
          Figure.CACHE_WRITE_1H,
          Figure.AUDIO_INPUT);

  /** Items of Responses that bring tools. */
  private static final Set<String> TOOLS = Set.of("additional_tools", "tool_search_output");

  private final Translator caller;
  private final Translator target;
  private final byte[] body;
  private final Called called;
  private final Dropped dropped;

  /** Of the calls in the conversation. */
  private final Set<String> callIds;

  /** Stops that the target does not look for. */
  private final List<String> stops;

  private final @Nullable Effort askedEffort;
  private final @Nullable Effort effort;
  private final long outputLimit;

  private Figures told = Figures.NONE;
  private Figures toldAtStart = Figures.NONE;
  private boolean estimated;
  private boolean stopUnknown;

  private Translation(
      Translator caller,
      Translator target,
      byte[] body,
      Called called,
      Dropped dropped,
      Set<String> callIds,
      List<String> stops,
      @Nullable Effort askedEffort,
      @Nullable Effort effort,
      long outputLimit) {
    this.caller = caller;
    this.target = target;
    this.body = body;
    this.called = called;
    this.dropped = dropped;
    this.callIds = callIds;
    this.stops = stops;
    this.askedEffort = askedEffort;
    this.effort = effort;
    this.outputLimit = outputLimit;
  }

  /**
   * Translates a call.
   *
   * @param json the body in the caller's format, as memory made it
   * @param received gives the body as the caller sent it; asked if the other one has what a caller
   *     is refused and a thread is not
   * @param alias see {@link Called}
   * @param input counts the tokens of the call's input
   * @param count counts the tokens of a text
   * @throws MalformedBodyException if the target's format cannot say what is asked
   */
  public static Translation of(
      Translator caller,
      Translator target,
      byte[] json,
      Supplier<byte[]> received,
      Terms terms,
      @Nullable String alias,
      LongSupplier input,
      ToLongFunction<String> count)
      throws MalformedBodyException {
    JsonValue root = parse(json);
    Dropped dropped = new Dropped();
    Request request = read(caller, target, root, dropped);
    if (dropped.refusesAny()) {
      Dropped sent = new Dropped();
      var unused = read(caller, target, parse(received.get()), sent);
      dropped.refuseAllOf(sent);
    }
    Names names = new Names(request.tools());
    List<Utterance> messages = sent(request.messages(), terms.maker(), target, names, dropped);
    List<Utterance> paired =
        MessageWriters.paired(
            messages,
            terms.model().ofMistral() ? ToolIds.ofMistral() : target.ids(),
            result -> dropped.add(nameOf(result, caller)));
    Request named =
        request.sent(paired, names).limited(terms.maxOutput()).without(terms.unsampled(), dropped);
    Effort asked = named.toldEffort();
    Optional<Effort> told = asked == null ? null : terms.refused().get(asked);
    if (terms.reasoning() == Terms.Reasoning.NONE) {
      told = Optional.empty();
    }
    if (told != null) {
      if (told.isEmpty() && named.isToReason()) {
        dropped.add(caller.nameOf(Translator.Topic.EFFORT));
      }
      named = named.withEffort(told.orElse(null));
    }
    byte[] written =
        target.write(
            named,
            "".equals(terms.cacheKey()) ? terms.withCacheKey(prefix(request)) : terms,
            caller,
            dropped);
    Called known =
        new Called(
            withoutMessages(root, caller.answersWithTools()),
            names,
            terms.model().name(),
            alias,
            terms.maker(),
            new InputCount(input),
            count);
    return new Translation(
        caller,
        target,
        written,
        known,
        dropped,
        callIds(request.messages()),
        named.stop().isEmpty() ? request.stop() : List.of(),
        asked,
        named.toldEffort(),
        terms.output(named.maxOutput()));
  }

  private static JsonValue parse(byte[] json) throws MalformedBodyException {
    try {
      return JsonValue.parse(json);
    } catch (MalformedJsonException e) {
      throw new MalformedBodyException("The body is not valid JSON.");
    }
  }

  private static Request read(Translator caller, Translator target, JsonValue root, Dropped dropped)
      throws MalformedBodyException {
    Request request = caller.read(root, dropped);
    request.messages().forEach(message -> check(message.parts(), caller, target, dropped));
    return request;
  }

  private static Set<String> callIds(List<Utterance> messages) {
    return messages.stream()
        .flatMap(message -> message.parts().stream())
        .filter(Part.ToolCall.class::isInstance)
        .map(part -> ((Part.ToolCall) part).id())
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * The body without its largest members, which is held until the answer has come: of items those
   * are left that bring tools, which an answer of Messages alone does not need.
   */
  private static JsonValue withoutMessages(JsonValue root, boolean tools) {
    if (root.length() < SMALL) {
      return root;
    }
    JsonWriter items = new JsonWriter(SMALL).ascii("{\"input\":[");
    for (JsonValue item : root.at("input").items()) {
      if (TOOLS.contains(item.text("type"))) {
        items.element().raw(item);
      }
    }
    String rest =
        root.rawMembers(name -> !MESSAGES.contains(name) && (tools || !name.equals("tools")));
    return JsonValue.of(items.ascii(rest.isEmpty() ? "]" : "],").raw(rest).ascii("}").toString());
  }

  /** Counts the input before anybody asks, while the answer is waited for. */
  public void countAhead() {
    var unused = CompletableFuture.supplyAsync(called.input()::getAsLong);
  }

  /** A name of what the prompt begins with: the same for calls that share it. */
  private static String prefix(Request request) {
    StringBuilder begin = new StringBuilder();
    request.tools().forEach(tool -> begin.append(tool.name()).append('\n'));
    for (Utterance message : request.messages()) {
      begin.append(Part.textOf(message.parts())).append('\n');
      if (!message.ofSystem()) {
        break;
      }
    }
    return Sha256.hex(begin.toString()).substring(0, CACHE_KEY_LENGTH);
  }

  /**
   * The messages with the names of tools at the target, and with the reasoning that it takes back,
   * in its form.
   */
  private static List<Utterance> sent(
      List<Utterance> messages, String maker, Translator target, Names names, Dropped dropped) {
    List<Utterance> sent = new ArrayList<>(messages.size());
    for (Utterance message : messages) {
      List<Part> parts = new ArrayList<>(message.parts().size());
      for (Part part : message.parts()) {
        if (part instanceof Part.Reasoning reasoning) {
          Seal seal = Seal.in(reasoning);
          if (seal != null && seal.maker().equals(maker) && seal.format() == target.shape()) {
            parts.add(seal.part());
          } else {
            dropped.add("reasoning");
          }
        } else if (part instanceof Part.ToolCall call) {
          String name = names.sent(call.name());
          parts.add(
              new Part.ToolCall(call.source(), call.kind(), call.id(), name, call.arguments()));
        } else {
          parts.add(part);
        }
      }
      sent.add(message.withParts(parts));
    }
    return SignedCalls.in(sent);
  }

  /**
   * Names images and files without anything in them, which no target takes, and what this one does
   * not have: files by their ids and audios, which a caller is refused.
   */
  private static void check(
      List<Part> parts, Translator called, Translator target, Dropped dropped) {
    for (Part part : parts) {
      Media media =
          part instanceof Part.Image image
              ? image.media()
              : part instanceof Part.File file ? file.media() : null;
      JsonValue audio = part instanceof Part.Other ? part.source().get("input_audio") : null;
      if (part instanceof Part.ToolResult result) {
        check(result.content(), called, target, dropped);
      } else if (audio != null && !target.takes(part)) {
        leave(part, audio.raw(), Translator.Topic.AUDIO, called, dropped);
      } else if (media != null && media.fileId() != null && !target.takes(part)) {
        leave(part, media.key(), Translator.Topic.FILES, called, dropped);
      } else if (media != null && media.isNone()) {
        dropped.add(nameOf(part, called));
      }
    }
  }

  private static void leave(
      Part part, String key, Translator.Topic topic, Translator called, Dropped dropped) {
    dropped.add(nameOf(part, called));
    dropped.refuse(
        key,
        called.nameOf(topic) + " cannot be asked of this model, whose provider does not have it.");
  }

  /** A part by its type, in the words of the called format. */
  private static String nameOf(Part part, Translator called) {
    String type = part.source().text("type");
    return called.inputMember() + "." + (type.isEmpty() ? "tool" : type);
  }

  /** The call in the target's format, UTF-8 JSON. */
  public byte[] body() {
    return body;
  }

  /** The tokens of the call's input, as they are counted here. */
  public long inputTokens() {
    return called.input().getAsLong();
  }

  /** How much the caller wants the target to reason; null if it does not say. */
  public @Nullable Effort askedEffort() {
    return askedEffort;
  }

  /** How much the target is told to reason; null if it is not told. */
  public @Nullable Effort effort() {
    return effort;
  }

  /** The output limit that the target is told, if it is told any. */
  public long outputLimit() {
    return outputLimit;
  }

  /** What was left out. */
  public Dropped dropped() {
    return dropped;
  }

  /** Reads a whole answer of the target, which is a JSON object. */
  public Answer read(byte[] json) throws MalformedJsonException {
    JsonValue answer = NonFinite.parse(json, ParseOptions.LENIENT);
    return StopSearch.in(target.readAnswer(answer, called.maker(), new CallIds(callIds)), stops);
  }

  public byte[] answer(Answer answer) {
    ended(answer.usage(), answer.stop());
    return caller.writeAnswer(answer, called);
  }

  /**
   * Opens the translation of a streamed answer.
   *
   * @param defects gets what was thrown in it
   * @param reserve whether there is heap for so many bytes more until the stream has ended
   */
  public StreamTranslation openStream(Consumer<RuntimeException> defects, LongPredicate reserve) {
    return open(caller.openWriter(called), this::begun, defects, reserve, List.of());
  }

  /** Opens the same of a whole answer, which is told as a stream of nothing ends. */
  public StreamTranslation openStream(
      Answer whole, Consumer<RuntimeException> defects, LongPredicate reserve) {
    // What it cost is known, however much of it is told.
    told = told.withModel(whole.model());
    ended(whole.usage(), whole.stop());
    return open(caller.openWriter(called), this::begun, defects, reserve, whole.events());
  }

  /** Opens the reading of a stream of which the caller gets the whole. */
  public StreamTranslation openWhole(
      Gathered whole, Consumer<RuntimeException> defects, LongPredicate reserve) {
    Consumer<AnswerEvent.Start> begun =
        start -> {
          // Of a stream that is passed on, the output that the caller has got is counted if it
          // breaks off.
          told = told.with(start.usage().told());
          begun(start);
        };
    return open((event, out) -> whole.accept(event), begun, defects, reserve, List.of());
  }

  private StreamTranslation open(
      AnswerWriter writer,
      Consumer<AnswerEvent.Start> begun,
      Consumer<RuntimeException> defects,
      LongPredicate reserve,
      List<AnswerEvent> whole) {
    return new StreamTranslation(
        StopSearch.in(target.openReader(called.maker(), new CallIds(callIds)), stops),
        writer,
        begun,
        finish -> ended(finish.usage(), finish.stop()),
        defects,
        reserve,
        whole);
  }

  private void begun(AnswerEvent.Start start) {
    told = told.withModel(start.model());
    for (Figure figure : INPUT) {
      told = told.with(figure, start.usage().told().get(figure));
    }
    toldAtStart = start.usage().told();
  }

  private void ended(Usage usage, Stop stop) {
    told = told.with(usage.told());
    estimated = !usage.isKnown();
    stopUnknown = stop == Stop.UNKNOWN;
  }

  /** Whether the target gave a reason for the end of its answer that is not known. */
  public boolean isStopUnknown() {
    return stopUnknown;
  }

  /**
   * What the target has said of the answer's tokens, which no other format can say whole, and its
   * model.
   */
  public Figures told() {
    return told;
  }

  /** What it has said of them with the head of its answer. */
  public Figures toldAtStart() {
    return toldAtStart;
  }

  /** Whether the target did not say what the answer cost, so that it was counted here. */
  public boolean isEstimated() {
    return estimated;
  }

  /** An error of the target as the body of an answer in the caller's format. */
  public byte[] error(Fault fault) {
    return caller.error(fault);
  }

  public int status(Fault fault) {
    return caller.status(fault);
  }
}
