package io.memorygateway.memory.api;

import io.memorygateway.auth.Caller;
import io.memorygateway.json.JsonOut;
import io.memorygateway.memory.ThreadRow;
import java.util.List;

/** Threads as the API shows them. */
final class ThreadJson {
  private static final int TYPICAL_LENGTH = 320;

  private ThreadJson() {}

  /** {@code {"thread":…}}. */
  static JsonOut one(Caller caller, ThreadRow thread) {
    JsonOut out = new JsonOut(TYPICAL_LENGTH + 16).ascii("{\"thread\":");
    return write(out, caller, thread).ascii("}");
  }

  /** {@code {"threads":[…],"total","limit","offset"}}. */
  static JsonOut page(Caller caller, List<ThreadRow> threads, long total, PageParameters page) {
    JsonOut out = new JsonOut(TYPICAL_LENGTH * threads.size() + 64).ascii("{\"threads\":[");
    PageParameters.writeItems(out, threads, (json, thread) -> write(json, caller, thread));
    return page.write(out.ascii("]"), total).ascii("}");
  }

  static JsonOut write(JsonOut out, Caller caller, ThreadRow thread) {
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
