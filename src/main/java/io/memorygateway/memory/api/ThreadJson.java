package io.memorygateway.memory.api;

import io.memorygateway.auth.Caller;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.rows.ThreadRow;
import java.util.List;

/** Writer of threads in the format of the API. */
final class ThreadJson {
  private static final int TYPICAL_LENGTH = 320;

  private ThreadJson() {}

  /** Writes {@code {"thread":…}}. */
  static JsonWriter one(Caller caller, ThreadRow thread) {
    JsonWriter out = new JsonWriter(TYPICAL_LENGTH + 16).ascii("{\"thread\":");
    return write(out, caller, thread).ascii("}");
  }

  /** Writes {@code {"threads":[…],"total","limit","offset"}}. */
  static JsonWriter page(Caller caller, List<ThreadRow> threads, long total, PageParameters page) {
    JsonWriter out = new JsonWriter(TYPICAL_LENGTH * threads.size() + 64).ascii("{\"threads\":[");
    PageParameters.writeItems(out, threads, (json, thread) -> write(json, caller, thread));
    return page.write(out.ascii("]"), total).ascii("}");
  }

  static JsonWriter write(JsonWriter out, Caller caller, ThreadRow thread) {
    return out.ascii("{\"id\":")
        .string(thread.publicId())
        .ascii(",\"projectId\":")
        .string(caller.projectPublicId())
        .ascii(",\"resourceId\":")
        .string(thread.resourceId())
        .ascii(",\"title\":")
        .string(thread.title())
        .ascii(",\"metadata\":")
        .rawOrNull(thread.metadata())
        .ascii(",\"createdAt\":")
        .time(thread.createdAt())
        .ascii(",\"updatedAt\":")
        .time(thread.updatedAt())
        .ascii("}");
  }
}
