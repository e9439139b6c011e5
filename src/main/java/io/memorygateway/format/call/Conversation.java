package io.memorygateway.format.call;

import io.memorygateway.format.Format;
import io.memorygateway.format.align.Aligner;
import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.align.Cancellation;
import io.memorygateway.format.align.Left;
import io.memorygateway.format.align.NamelessResults;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.align.OwnWords;
import io.memorygateway.format.align.PartedCalls;
import io.memorygateway.format.align.RenamedCalls;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.PartReader;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ParseOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a call in order, and apart from them the caller's system prompt (system and
 * developer messages, {@code system}, {@code instructions}), which goes upstream unchanged and is
 * neither compared nor stored. Created by {@link Format#read}, for that format's {@link
 * Format#write}.
 */
public final class Conversation {

  /** The most JSON values of a body: a few million tokens, which no model takes, have fewer. */
  private static final int MAX_VALUES = 1_000_000;

  private static final ParseOptions BODY =
      ParseOptions.LENIENT.withMaxValues(MAX_VALUES).withCheckpoint(Cancellation::check);

  /**
   * A message among messages that the thread has: one of the system, or words of the caller's own.
   *
   * @param behind the index of the stored message that it follows; -1 if the thread does not have
   *     that
   */
  record Placed(CallEntry entry, int behind) {}

  /**
   * What a call says otherwise than its thread; it goes up as the caller sends it.
   *
   * @param head messages that go up before what is stored, in the place of the thread's beginning
   * @param instead number of stored messages in whose place they go up
   * @param changed by index, the messages that go up in the place of stored ones
   */
  public record Own(List<StoredMessage> head, int instead, Map<Integer, StoredMessage> changed) {
    public static final Own NONE = new Own(List.of(), 0, Map.of());

    /** The same, where the thread has messages before those that it was compared with. */
    private Own behindOthers() {
      return instead > 0 ? this : new Own(List.of(), 0, changed);
    }

    /** The user's that go up first, because the stored ones before an index are not sent. */
    public List<StoredMessage> before(int from) {
      List<StoredMessage> first = new ArrayList<>(head);
      for (int place = instead; place < from && !changed.isEmpty(); place++) {
        StoredMessage message = changed.get(place);
        if (message != null && message.role().equals("user")) {
          first.add(message);
        }
      }
      return first;
    }
  }

  /**
   * The result of aligning a call with its thread.
   *
   * @param fresh the part of the call that is new
   * @param repeats whether the call has messages, and none of them is new
   * @param own what the call says otherwise than the thread
   * @param known what of the thread the call has
   */
  public record Aligned(
      Alignment alignment, Conversation fresh, boolean repeats, Own own, Alignment.Known known) {
    /** The same, where the thread has messages before those that it was compared with. */
    public Aligned behindOthers() {
      return new Aligned(alignment, fresh, repeats, own.behindOthers(), known);
    }

    /** The new messages that are to be stored. */
    public List<StoredMessage> asked() {
      List<StoredMessage> messages = fresh.messages();
      int known = alignment.storedFrom() - alignment.newFrom();
      return messages.subList(known, messages.size());
    }
  }

  private final RequestBody body;
  private final JsonValue root;
  private final List<CallEntry> head;
  private final List<Placed> placed;
  private final List<CallEntry> tail;
  private final boolean upstreamHoldsHistory;
  private final boolean complete;
  private final int known;
  private final boolean lacksThoughts;

  public Conversation(
      RequestBody body, JsonValue root, List<CallEntry> entries, boolean upstreamHoldsHistory) {
    int length = 0;
    while (length < entries.size() && entries.get(length).content() == null) {
      length++;
    }
    this.body = body;
    this.root = root;
    this.head = List.copyOf(entries.subList(0, length));
    this.placed = List.of();
    this.tail = List.copyOf(entries.subList(length, entries.size()));
    this.upstreamHoldsHistory = upstreamHoldsHistory;
    this.complete = true;
    this.known = 0;
    this.lacksThoughts = false;
  }

  private Conversation(Conversation call, List<CallEntry> tail) {
    this(call, call.placed, tail, 0, false);
  }

  private Conversation(
      Conversation call,
      List<Placed> placed,
      List<CallEntry> rest,
      int known,
      boolean lacksThoughts) {
    this.body = call.body;
    this.root = call.root;
    this.head = call.head;
    this.placed = List.copyOf(placed);
    this.tail = List.copyOf(rest);
    this.upstreamHoldsHistory = call.upstreamHoldsHistory;
    this.complete = false;
    this.known = known;
    this.lacksThoughts = lacksThoughts;
  }

  /** The messages, in the form in which they are compared and, if they are new, stored. */
  public List<StoredMessage> messages() {
    List<StoredMessage> messages = new ArrayList<>();
    for (CallEntry entry : tail) {
      StoredMessage message = entry.message();
      if (message != null) {
        messages.add(message);
      }
    }
    return messages;
  }

  /**
   * Aligns the call with its thread.
   *
   * @param stored the thread's newest messages, oldest first
   * @param left newest messages that its conversation has left
   * @throws java.util.concurrent.CancellationException if the thread is interrupted meanwhile
   */
  public Aligned align(List<NormalForm> stored, List<Left> left) {
    List<NormalForm> given = forms();
    Map<Integer, List<String>> nameless = NamelessResults.ids(given, stored);
    Conversation call = nameless.isEmpty() ? this : named(nameless);
    List<NormalForm> incoming = nameless.isEmpty() ? given : call.forms();
    Map<String, String> ids = RenamedCalls.of(incoming, stored, left);
    if (!ids.isEmpty()) {
      List<CallEntry> renamed = call.tail.stream().map(entry -> entry.renamed(ids)).toList();
      call = new Conversation(this, renamed);
      incoming = call.forms();
    }
    List<Integer> order = PartedCalls.order(incoming, stored);
    if (!order.isEmpty()) {
      call = call.inOrder(order);
      incoming = call.forms();
    }
    return call.align(incoming, new Aligner(incoming, stored, left));
  }

  /** The call with ids for results that have none. */
  private Conversation named(Map<Integer, List<String>> ids) {
    List<CallEntry> named = new ArrayList<>(tail.size());
    int index = 0;
    for (CallEntry entry : tail) {
      List<String> own = entry.content() == null ? null : ids.get(index++);
      named.add(own == null ? entry : entry.named(own));
    }
    return new Conversation(this, named);
  }

  /** The call with its messages in another order, those of the system before the same ones. */
  private Conversation inOrder(List<Integer> order) {
    List<List<CallEntry>> groups = new ArrayList<>(List.of(new ArrayList<>()));
    for (CallEntry entry : tail) {
      groups.get(groups.size() - 1).add(entry);
      if (entry.content() != null) {
        groups.add(new ArrayList<>());
      }
    }
    List<CallEntry> all = new ArrayList<>();
    order.forEach(index -> all.addAll(groups.get(index)));
    all.addAll(groups.get(order.size()));
    return new Conversation(this, all);
  }

  private List<NormalForm> forms() {
    List<NormalForm> forms = new ArrayList<>();
    for (CallEntry entry : tail) {
      StoredMessage message = entry.message();
      if (message != null) {
        Cancellation.check();
        forms.add(NormalForm.of(message));
      }
    }
    return forms;
  }

  private Aligned align(List<NormalForm> incoming, Aligner aligner) {
    Alignment alignment = aligner.align();
    boolean systemAmongAll = incoming.size() < tail.size();
    // Else it is the same call, whose arguments the client has read and written.
    boolean chosen = CallMembers.number(root, "n") > 1;
    OwnWords own = aligner.ownWords(alignment, chosen);
    List<StoredMessage> messages = messages();
    Map<Integer, StoredMessage> changed = new HashMap<>();
    own.changed().forEach((place, message) -> changed.put(place, messages.get(message)));
    return new Aligned(
        alignment,
        onlyNew(
            alignment,
            systemAmongAll || !own.between().isEmpty() ? aligner.positions() : new int[0],
            own.between()),
        !incoming.isEmpty() && alignment.newFrom() == incoming.size(),
        new Own(messages.subList(0, own.head()), own.instead(), changed),
        aligner.known(alignment));
  }

  /**
   * The part of a call that the thread does not have: the new messages, to be stored and to go
   * upstream, and the system prompt. A message that is known in part is cut between its parts; a
   * system message among known messages stays behind the message that it followed, and so do the
   * caller's own words between them.
   *
   * @param positions by message, the index of the stored message that it is
   * @param between those of the messages before the new ones that are such words
   */
  public Conversation onlyNew(Alignment alignment, int[] positions, Set<Integer> between) {
    int known = alignment.storedFrom() - alignment.newFrom();
    if (alignment.newFrom() == 0 && alignment.knownParts() == 0 && known == 0) {
      return this;
    }
    List<Placed> amongKnown = new ArrayList<>();
    List<CallEntry> rest = new ArrayList<>();
    int index = 0;
    for (CallEntry entry : tail) {
      if (entry.content() == null) {
        if (index <= alignment.newFrom()) {
          amongKnown.add(new Placed(entry, index == 0 ? -1 : positions[index - 1]));
        } else {
          rest.add(entry);
        }
      } else {
        if (index == alignment.newFrom()) {
          rest.add(entry.without(alignment.knownParts()));
        } else if (index > alignment.newFrom()) {
          rest.add(entry);
        } else if (between.contains(index)) {
          amongKnown.add(new Placed(entry, positions[index]));
        }
        index++;
      }
    }
    Alignment.Branch branch = alignment.branch();
    return new Conversation(
        this, amongKnown, rest, known, branch != null && branch.lacksThoughts());
  }

  /**
   * Whether the call continues a conversation that the upstream stores ({@code
   * previous_response_id}, {@code conversation}). The upstream would then have the history twice,
   * so such a call goes upstream as received, without any context. Its messages are stored all the
   * same.
   */
  public boolean upstreamHoldsHistory() {
    return upstreamHoldsHistory;
  }

  public boolean stream() {
    return body.stream();
  }

  public RequestBody body() {
    return body;
  }

  public JsonValue root() {
    return root;
  }

  public Set<String> tools() {
    return Stream.concat(
            BroughtTools.in(root).stream(),
            Stream.of("tools", "functions").flatMap(member -> root.at(member).items().stream()))
        .flatMap(tool -> Stream.concat(Stream.of(tool), tool.at("tools").items().stream()))
        .flatMap(tool -> Stream.of(tool, tool.get("function"), tool.get("custom")))
        .filter(Objects::nonNull)
        .map(tool -> tool.text("name"))
        .collect(Collectors.toSet());
  }

  /** Whether it has all messages of the call. */
  public boolean isComplete() {
    return complete;
  }

  /**
   * Whether the caller's system prompt contains observations already, made by the caller's own
   * memory; see {@link ForeignObservations}.
   */
  public boolean bringsObservations() {
    return ForeignObservations.areIn(systemPrompt());
  }

  /** The texts of the caller's system prompt, joined. */
  public String systemPrompt() {
    Stream<CallEntry> amongKnown = placed.stream().map(Placed::entry);
    List<CallEntry> all =
        Stream.of(head.stream(), tail.stream(), amongKnown).flatMap(each -> each).toList();
    return systemPrompt(root, all);
  }

  /** The same of the messages of a call. */
  public static String systemPrompt(JsonValue root, List<CallEntry> entries) {
    StringBuilder prompt = new StringBuilder();
    for (String member : List.of("system", "instructions")) {
      addText(root.get(member), prompt);
    }
    for (CallEntry entry : entries) {
      if (entry.content() == null) {
        addText(entry.json().get("content"), prompt);
      }
    }
    return prompt.toString();
  }

  private static void addText(@Nullable JsonValue content, StringBuilder prompt) {
    if (content != null) {
      prompt.append(Part.textOf(PartReader.read(content))).append('\n');
    }
  }

  /** System messages before all other messages, verbatim. */
  public List<JsonValue> head() {
    return json(head);
  }

  /** The contents that go up as the caller sends them, the system's among them, in order. */
  public List<JsonValue> newContents() {
    return Stream.of(head(), json(placed.stream().map(Placed::entry).toList()), json(tail))
        .flatMap(List::stream)
        .map(message -> message.get("content"))
        .filter(Objects::nonNull)
        .toList();
  }

  private static List<JsonValue> json(List<CallEntry> entries) {
    return entries.stream().map(CallEntry::json).toList();
  }

  /** The messages among those that the thread has, in order. */
  List<Placed> placed() {
    return placed;
  }

  /** Number of the first of the new messages that the thread has, in a branch that was left. */
  int known() {
    return known;
  }

  /** Whether reasoning that the thread has with these is not among them. */
  public boolean lacksThoughts() {
    return lacksThoughts;
  }

  /** The other messages, with system messages among them in their positions. */
  List<CallEntry> tail() {
    return tail;
  }

  /** The body as a tree; its syntax has been checked before. */
  public static JsonValue tree(RequestBody body) throws MalformedBodyException {
    try {
      return JsonValue.parse(body.bytes(), BODY);
    } catch (MalformedJsonException.TooManyValues e) {
      throw new MalformedBodyException(
          "A call with x-thread-id holds at most " + MAX_VALUES + " JSON values.");
    } catch (IOException e) {
      throw new AssertionError("parsed before", e);
    }
  }

  /** The value of a member that must not be given twice; null if it is missing. */
  public static @Nullable JsonValue only(JsonValue root, String name)
      throws MalformedBodyException {
    JsonValue found = null;
    for (JsonValue.Field field : root.fields()) {
      if (field.name().equals(name)) {
        if (found != null) {
          throw new MalformedBodyException(name + " is given twice.");
        }
        found = field.value();
      }
    }
    return found;
  }

  /** The {@code messages} of Chat and Messages. */
  public static JsonValue messagesOf(JsonValue root) throws MalformedBodyException {
    JsonValue messages = only(root, "messages");
    if (messages == null || !messages.isArray()) {
      throw new MalformedBodyException("messages must be an array.");
    }
    return messages;
  }

  /** A message object of an endpoint, of the system or of the conversation. */
  public static CallEntry entry(JsonValue message, Shape endpoint) throws MalformedBodyException {
    String role = message.string("role");
    if (role == null) {
      throw new MalformedBodyException("Each message must be an object with a role.");
    }
    boolean system = role.equals("system") || role.equals("developer");
    return system
        ? CallEntry.ofSystem(message)
        : new CallEntry(
            message, StoredMessage.roleOf(message), StoredMessage.contentOf(message, endpoint));
  }
}
