package io.memorygateway.embedding;

import io.memorygateway.embedding.EmbeddingClient.Embeddings;
import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonValue.Kind;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ParseOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/** Writes the request body of {@code /v1/embeddings}, and reads its answer. */
public final class EmbeddingAnswer {
  /** The most dimensions of a vector. */
  static final int MAX_DIMENSIONS = 8192;

  /** Levels that are parsed: the answer, its data, and each entry; the numbers stay text. */
  private static final ParseOptions SHALLOW = ParseOptions.LENIENT.withLevels(3);

  private EmbeddingAnswer() {}

  /**
   * The request body.
   *
   * @param model as the upstream calls it
   * @return UTF-8 JSON
   */
  public static byte[] question(String model, @Nullable String inputType, List<String> texts) {
    JsonWriter out = new JsonWriter(256).ascii("{\"model\":").string(model).ascii(",\"input\":[");
    for (String text : texts) {
      out.element().string(text);
    }
    out.ascii("]");
    if (inputType != null) {
      out.ascii(",\"input_type\":").string(inputType);
    }
    return out.ascii("}").toBytes();
  }

  /**
   * Reads an answer.
   *
   * @param texts how many were to be embedded
   * @throws EmbeddingFailureException unless it holds one vector for each text, all of one length
   *     and of finite numbers, not all of them zero
   */
  public static Embeddings read(byte[] answer, int texts) throws EmbeddingFailureException {
    JsonValue root;
    try {
      root = JsonValue.parse(answer, SHALLOW);
    } catch (MalformedJsonException e) {
      throw invalid("the answer is not JSON");
    }
    JsonValue data = root.get("data");
    if (data == null || !data.isArray() || data.items().size() != texts) {
      throw invalid("the answer does not have " + texts + " vectors");
    }
    float[][] vectors = new float[texts][];
    int dimensions = 0;
    for (int i = 0; i < texts; i++) {
      JsonValue item = data.items().get(i);
      int index = item.isObject() && item.get("index") != null ? item.index("index") : i;
      if (index < 0 || index >= texts || vectors[index] != null) {
        throw invalid("index of vector " + i + " is wrong");
      }
      vectors[index] = vector(item.isObject() ? item.get("embedding") : null);
      dimensions = i == 0 ? vectors[index].length : dimensions;
      if (vectors[index].length != dimensions) {
        throw invalid("the vectors have different lengths");
      }
    }
    return new Embeddings(Arrays.asList(vectors), tokens(root.get("usage")));
  }

  private static float[] vector(@Nullable JsonValue numbers) throws EmbeddingFailureException {
    if (numbers == null || !numbers.isArray()) {
      throw invalid("a vector is not an array");
    }
    String raw = numbers.raw();
    StringTokenizer tokens = new StringTokenizer(raw.substring(1, raw.length() - 1), ", \t\r\n");
    List<Float> read = new ArrayList<>();
    boolean zero = true;
    while (tokens.hasMoreTokens()) {
      float number = number(tokens.nextToken());
      zero &= number == 0;
      read.add(number);
      if (read.size() > MAX_DIMENSIONS) {
        throw invalid("a vector has more than " + MAX_DIMENSIONS + " numbers");
      }
    }
    if (zero) {
      throw invalid("a vector has no number other than zero");
    }
    float[] vector = new float[read.size()];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = read.get(i);
    }
    return vector;
  }

  private static float number(String text) throws EmbeddingFailureException {
    try {
      float number = Float.parseFloat(text);
      if (Float.isFinite(number)) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw invalid("a vector has what is not a finite number");
  }

  private static long tokens(@Nullable JsonValue usage) {
    JsonValue count = usage == null || !usage.isObject() ? null : usage.get("prompt_tokens");
    if (count == null || !count.is(Kind.NUMBER) || !Characters.areDigits(count.raw(), 15)) {
      return -1;
    }
    return Long.parseLong(count.raw());
  }

  private static EmbeddingFailureException invalid(String message) {
    return new EmbeddingFailureException(Reason.INVALID, message);
  }
}
