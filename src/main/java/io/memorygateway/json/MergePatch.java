package io.memorygateway.json;

import io.memorygateway.json.JsonValue.Kind;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON Merge Patch (RFC 7396) that keeps the raw text of every value. */
public final class MergePatch {
  private MergePatch() {}

  /**
   * Applies a patch to a target. Members keep their place; new ones come last.
   *
   * @param target parsed on all levels, or null if there is none yet
   * @param patch parsed on all levels; not JSON's null
   * @return a JSON text, UTF-8
   */
  public static byte[] apply(@Nullable JsonValue target, JsonValue patch) {
    JsonWriter out = new JsonWriter(patch.length() + (target == null ? 16 : target.length()));
    merge(target, patch, out);
    return out.toBytes();
  }

  private static void merge(@Nullable JsonValue target, JsonValue patch, JsonWriter out) {
    if (!patch.is(Kind.OBJECT)) {
      out.raw(patch.rawBytes());
      return;
    }
    Map<String, JsonValue> old =
        target != null && target.is(Kind.OBJECT) ? target.members() : Map.of();
    Map<String, JsonValue> changes = patch.members();
    Map<String, JsonValue> names = new LinkedHashMap<>(old);
    changes.forEach(names::putIfAbsent);
    String separator = "{";
    for (String name : names.keySet()) {
      JsonValue change = changes.get(name);
      JsonValue before = old.get(name);
      if (change != null && change.is(Kind.NULL)) {
        continue;
      }
      out.ascii(separator).string(name).ascii(":");
      separator = ",";
      if (change != null) {
        merge(before, change, out);
      } else if (before != null) {
        out.raw(before.rawBytes());
      }
    }
    out.ascii(separator.equals("{") ? "{}" : "}");
  }
}
