package io.memorygateway.tracing;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A span as a collector receives it, decoded from OTLP's protobuf by hand, so that what is sent is
 * compared with the format and not with the library that wrote it.
 */
record ReceivedSpan(
    String traceId,
    String spanId,
    String parentSpanId,
    String name,
    int kind,
    Map<String, Object> attributes,
    boolean failed) {

  static final int SERVER = 2;
  static final int CLIENT = 3;

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  /** A field of a message. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Field(int number, long value, byte[] bytes) {
    String text() {
      return new String(bytes, StandardCharsets.UTF_8);
    }

    String hex() {
      return HexFormat.of().formatHex(bytes);
    }
  }

  /** The spans of an ExportTraceServiceRequest. */
  static List<ReceivedSpan> of(byte[] request) {
    List<ReceivedSpan> spans = new ArrayList<>();
    for (Field resourceSpans : fields(request, 1)) {
      for (Field scopeSpans : fields(resourceSpans.bytes, 2)) {
        fields(scopeSpans.bytes, 2).forEach(span -> spans.add(span(span.bytes)));
      }
    }
    return spans;
  }

  /** The attributes of the resource. */
  static Map<String, Object> resource(byte[] request) {
    Map<String, Object> attributes = new HashMap<>();
    for (Field resourceSpans : fields(request, 1)) {
      for (Field resource : fields(resourceSpans.bytes, 1)) {
        fields(resource.bytes, 1).forEach(attribute -> put(attributes, attribute.bytes));
      }
    }
    return attributes;
  }

  private static ReceivedSpan span(byte[] span) {
    Map<String, Object> attributes = new HashMap<>();
    String traceId = "";
    String spanId = "";
    String parent = "";
    String name = "";
    int kind = 0;
    boolean failed = false;
    for (Field field : fields(span)) {
      switch (field.number) {
        case 1 -> traceId = field.hex();
        case 2 -> spanId = field.hex();
        case 4 -> parent = field.hex();
        case 5 -> name = field.text();
        case 6 -> kind = (int) field.value;
        case 9 -> put(attributes, field.bytes);
        case 15 -> failed = fields(field.bytes, 3).stream().anyMatch(code -> code.value == 2);
        default -> {}
      }
    }
    return new ReceivedSpan(traceId, spanId, parent, name, kind, attributes, failed);
  }

  private static void put(Map<String, Object> attributes, byte[] keyValue) {
    String key = fields(keyValue, 1).get(0).text();
    for (Field value : fields(fields(keyValue, 2).get(0).bytes)) {
      Object read =
          switch (value.number) {
            case 1 -> value.text();
            case 2 -> value.value != 0;
            case 3 -> value.value;
            case 5 ->
                fields(value.bytes, 1).stream()
                    .map(item -> fields(item.bytes, 1).get(0).text())
                    .toList();
            default -> "?";
          };
      attributes.put(key, read);
    }
  }

  private static List<Field> fields(byte[] message, int number) {
    return fields(message).stream().filter(field -> field.number == number).toList();
  }

  private static List<Field> fields(byte[] message) {
    ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    List<Field> fields = new ArrayList<>();
    while (in.hasRemaining()) {
      long tag = varint(in);
      int number = (int) (tag >>> 3);
      switch ((int) (tag & 7)) {
        case VARINT -> fields.add(new Field(number, varint(in), new byte[0]));
        case FIXED64 -> fields.add(new Field(number, in.getLong(), new byte[0]));
        case FIXED32 -> fields.add(new Field(number, in.getInt(), new byte[0]));
        case BYTES -> {
          byte[] bytes = new byte[(int) varint(in)];
          in.get(bytes);
          fields.add(new Field(number, 0, bytes));
        }
        default -> throw new AssertionError("no protobuf");
      }
    }
    return fields;
  }

  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = in.get();
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }
}
