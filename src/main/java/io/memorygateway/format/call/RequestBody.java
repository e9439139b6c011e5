package io.memorygateway.format.call;

import io.memorygateway.json.Edit;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.Utf8;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The body of a call to an endpoint: the bytes as received, and the few members that the gateway
 * reads. Edits are spliced in; all else stays byte for byte: white space, the digits of numbers,
 * the order of members, escapes, members unknown or given twice.
 */
public final class RequestBody {
  private final byte[] bytes;
  private final String model;
  private final int modelStart;
  private final int modelEnd;
  private final boolean stream;
  private final @Nullable Edit usageEdit;
  private final @Nullable ModelList models;
  private final Kept kept;

  /** Whether {@code models} is removed. */
  private final boolean dropsModels;

  /**
   * @param usageEdit sets {@code stream_options.include_usage} to true; null if it is true already
   * @param models null if the member is missing
   */
  RequestBody(
      byte[] bytes,
      String model,
      int modelStart,
      int modelEnd,
      boolean stream,
      @Nullable Edit usageEdit,
      @Nullable ModelList models,
      Kept kept) {
    this(bytes, model, modelStart, modelEnd, stream, usageEdit, models, kept, false);
  }

  private RequestBody(
      byte[] bytes,
      String model,
      int modelStart,
      int modelEnd,
      boolean stream,
      @Nullable Edit usageEdit,
      @Nullable ModelList models,
      Kept kept,
      boolean dropsModels) {
    this.bytes = bytes;
    this.model = model;
    this.modelStart = modelStart;
    this.modelEnd = modelEnd;
    this.stream = stream;
    this.usageEdit = usageEdit;
    this.models = models;
    this.kept = kept;
    this.dropsModels = dropsModels;
  }

  /**
   * What the caller asks the provider to keep of the call.
   *
   * @param promptCacheKey {@code prompt_cache_key}; null if the member is missing or no string
   * @param held what names a conversation that the provider holds, {@code previous_response_id} and
   *     {@code conversation} of Responses: the members that are not null, with their text
   * @param replaced the same of those that were taken out
   * @param background whether the answer is to be fetched later, {@code background} of Responses
   * @param thread whether the provider is to keep the conversation, {@code thread} of Messages
   * @param fallbacks the models of {@code fallbacks} of Messages, which the provider follows
   *     itself, and of its tools that ask one
   * @param painters the models of its tools that make images, which answer nothing
   * @param foreignModels whether it may name models in a way that is left to the provider to read
   */
  public record Kept(
      @Nullable String promptCacheKey,
      Map<String, String> held,
      Map<String, String> replaced,
      boolean background,
      boolean thread,
      List<String> fallbacks,
      List<String> painters,
      boolean foreignModels) {
    public Kept {
      held = Map.copyOf(held);
      replaced = Map.copyOf(replaced);
      fallbacks = List.copyOf(fallbacks);
      painters = List.copyOf(painters);
    }

    private Kept withoutHeld() {
      return new Kept(
          promptCacheKey, Map.of(), held, background, thread, fallbacks, painters, foreignModels);
    }

    /** All models that it names for the provider to use itself. */
    public List<String> named() {
      return Stream.concat(fallbacks.stream(), painters.stream()).toList();
    }
  }

  /**
   * The member {@code models}, in OpenRouter's format.
   *
   * @param names at least one
   * @param removal removes the member; if there is no {@code model}, the range where one is written
   *     instead
   * @param isModel whether there is no {@code model}: then the first name is the model
   */
  record ModelList(List<String> names, Edit removal, boolean isModel) {
    ModelList {
      names = List.copyOf(names);
    }
  }

  /**
   * Reads a body in one pass. It must be exactly one JSON object in strict UTF-8 (a byte order mark
   * is dropped), not nested deeper than 500, with {@code model} a string that is not blank, {@code
   * stream} a boolean or null, {@code stream_options} an object or null, {@code
   * stream_options.include_usage} a boolean or null, and none of these four given twice. Instead of
   * {@code model} there may be {@code models}, a list of names.
   *
   * @param utf8 retained, not copied
   * @throws MalformedBodyException if it is invalid; the message says why
   */
  public static RequestBody parse(byte[] utf8) throws MalformedBodyException {
    return parse(utf8, null);
  }

  /**
   * Reads a body whose model may be named elsewhere.
   *
   * @param named takes the place of {@code model}, which may be missing then; null for none
   */
  public static RequestBody parse(byte[] utf8, @Nullable String named)
      throws MalformedBodyException {
    return new RequestBodyReader(Utf8.withoutByteOrderMark(utf8), named, true).read();
  }

  /**
   * Reads a body that need not name a model, which is empty then.
   *
   * @param named see {@link #parse(byte[], String)}
   */
  public static RequestBody parseAny(byte[] utf8, @Nullable String named)
      throws MalformedBodyException {
    return new RequestBodyReader(Utf8.withoutByteOrderMark(utf8), named, false).read();
  }

  /** A body that is not there, or is not read. */
  public static RequestBody none() {
    return new RequestBody(
        new byte[0],
        "",
        0,
        0,
        false,
        null,
        null,
        new Kept(null, Map.of(), Map.of(), false, false, List.of(), List.of(), false));
  }

  /** The model as the caller wrote it, never blank. */
  public String model() {
    return model;
  }

  /** The models to be tried in this order; null if the caller gives no such list. */
  public @Nullable List<String> models() {
    return models == null ? null : models.names();
  }

  /**
   * The models besides the first that the provider may answer with: lists that it follows itself.
   */
  public List<String> sentModels() {
    return models == null || dropsModels
        ? kept.fallbacks()
        : Stream.concat(models.names().stream(), kept.fallbacks().stream()).toList();
  }

  public RequestBody withoutModels() {
    return new RequestBody(
        bytes, model, modelStart, modelEnd, stream, usageEdit, models, kept, models != null);
  }

  /** The body without what names a conversation that the provider holds. */
  public RequestBody withoutHeld() {
    try {
      RequestBody read = parse(ReasoningRemoval.ofMembers(bytes, kept.held().keySet()));
      return new RequestBody(
          read.bytes,
          read.model,
          read.modelStart,
          read.modelEnd,
          read.stream,
          read.usageEdit,
          read.models,
          kept.withoutHeld(),
          dropsModels);
    } catch (MalformedBodyException e) {
      throw new IllegalStateException("what was left of a call cannot be read", e);
    }
  }

  /** What the provider is to keep of the call. */
  public Kept kept() {
    return kept;
  }

  /** The member {@code prompt_cache_key}: what calls with the same one begin with is the same. */
  public @Nullable String promptCacheKey() {
    return kept.promptCacheKey();
  }

  public boolean stream() {
    return stream;
  }

  public int length() {
    return bytes.length;
  }

  /** The body with another model; not a copy if it is the same. */
  public byte[] withModel(String newModel) {
    return withModelAnd(newModel, List.of());
  }

  /** The body with another model and with {@code stream_options.include_usage} true. */
  public byte[] withModelAndStreamUsage(String newModel) {
    return withModelAnd(newModel, usageEdits());
  }

  /** The body as received, without a byte order mark; not to be modified. */
  public byte[] bytes() {
    return bytes;
  }

  /**
   * The body with another model and other edits.
   *
   * @param edits must not overlap
   */
  public byte[] withModelAnd(String newModel, List<Edit> edits) {
    List<Edit> all = new ArrayList<>(edits);
    boolean renamed = !newModel.equals(model);
    if (models != null && models.isModel()) {
      if (renamed || dropsModels) {
        Edit removal = models.removal();
        all.add(
            new Edit(removal.start(), removal.end(), "\"model\":" + JsonWriter.quote(newModel)));
      }
    } else {
      if (renamed) {
        all.add(new Edit(modelStart, modelEnd, JsonWriter.quote(newModel)));
      }
      if (models != null && dropsModels) {
        all.add(models.removal());
      }
    }
    all.sort(Comparator.comparingInt(Edit::start).thenComparingInt(Edit::end));
    return Edit.apply(bytes, all);
  }

  /** The edits that request the usage of a stream; none if the caller requests it. */
  public List<Edit> usageEdits() {
    return usageEdit == null ? List.of() : List.of(usageEdit);
  }

  /** The index behind the model, where a comma and a member can be inserted. */
  public int afterModel() {
    return modelEnd;
  }
}
