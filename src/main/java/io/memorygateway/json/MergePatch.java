package io.memorygateway.json;

import io.memorygateway.json.JsonValue.Kind;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON Merge Patch (RFC 7396) that leaves the raw text of every value as it is. */
public final class MergePatch {
  private MergePatch() {}

  /**
   * The target with the patch applied. Members keep their place; new ones come last.
   *
   * @param target whole, or null if there is nothing yet
   * @param patch whole; not null itself
   * @return a JSON text, UTF-8
   */
  public static byte[] apply(@Nullable JsonValue target, JsonValue patch) {
    JsonOut out = new JsonOut(patch.length() + (target == null ? 16 : target.length()));
    merge(target, patch, out);
    return out.toBytes();
  }

  private static void merge(@Nullable JsonValue target, JsonValue patch, JsonOut out) {
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
