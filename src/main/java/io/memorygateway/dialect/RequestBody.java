package io.memorygateway.dialect;

import io.memorygateway.json.Edit;
import io.memorygateway.json.Json;
import io.memorygateway.json.Utf8;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of a call to an endpoint, kept as the bytes that came, with the few members that the
 * gateway itself looks at. Edits are spliced in; all else stays byte for byte: white space, the
 * spelling of numbers, the order of members, escapes, members unknown or given twice.
 */
public final class RequestBody {
  private final byte[] bytes;
  private final String model;
  private final int modelStart;
  private final int modelEnd;
  private final boolean stream;
  private final @Nullable Edit usageEdit;

  /**
   * @param usageEdit what makes {@code stream_options.include_usage} true; null when it is
   */
  RequestBody(
      byte[] bytes,
      String model,
      int modelStart,
      int modelEnd,
      boolean stream,
      @Nullable Edit usageEdit) {
    this.bytes = bytes;
    this.model = model;
    this.modelStart = modelStart;
    this.modelEnd = modelEnd;
    this.stream = stream;
    this.usageEdit = usageEdit;
  }

  /**
   * Reads a body in one pass. It must be exactly one JSON object in strict UTF-8 (a byte order mark
   * is dropped), not nested deeper than 500, with {@code model} a string that is not blank, {@code
   * stream} a boolean or null, {@code stream_options} an object or null, {@code
   * stream_options.include_usage} a boolean or null, and none of these four given twice.
   *
   * @param utf8 kept, not copied
   * @throws MalformedBodyException when it is not; the message says why
   */
  public static RequestBody parse(byte[] utf8) throws MalformedBodyException {
    return new RequestBodyReader(Utf8.withoutByteOrderMark(utf8)).read();
  }

  /** The model as the caller wrote it, never blank. */
  public String model() {
    return model;
  }

  /** Whether the caller asks for a streamed answer. */
  public boolean stream() {
    return stream;
  }

  /** In bytes. */
  public int length() {
    return bytes.length;
  }

  /** The body with another model; not a copy when it is the same. */
  public byte[] withModel(String newModel) {
    return withModelAnd(newModel, List.of());
  }

  /** The body with another model and with {@code stream_options.include_usage} true. */
  byte[] withModelAndStreamUsage(String newModel) {
    return withModelAnd(newModel, usageEdits());
  }

  /** The body as received, without a byte order mark; not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /**
   * The body with another model and more.
   *
   * @param edits without overlap
   */
  byte[] withModelAnd(String newModel, List<Edit> edits) {
    List<Edit> all = new ArrayList<>(edits);
    if (!newModel.equals(model)) {
      all.add(new Edit(modelStart, modelEnd, Json.quote(newModel)));
    }
    all.sort(Comparator.comparingInt(Edit::start).thenComparingInt(Edit::end));
    return Edit.apply(bytes, all);
  }

  /** The edits that ask for the usage of a stream; none if the caller does so itself. */
  List<Edit> usageEdits() {
    return usageEdit == null ? List.of() : List.of(usageEdit);
  }

  /** The place behind the model, where a comma and a member can be put. */
  int afterModel() {
    return modelEnd;
  }
}
