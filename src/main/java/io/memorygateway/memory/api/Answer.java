package io.memorygateway.memory.api;

import static java.util.Objects.requireNonNull;

import io.memorygateway.http.errors.JsonResponse;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.replay.StoredResponse;
import io.memorygateway.memory.replay.WriteResult;
import jakarta.ws.rs.core.Response;
import org.jdbi.v3.core.Handle;

/** Response to a write, stored completely if the request has an Idempotency-Key. */
record Answer(int status, JsonWriter body) {

  /**
   * A response about a thread; its stored copy is deleted with the thread.
   *
   * @param threadId {@code threads.id}
   */
  static WriteResult<Answer> aboutThread(int status, long threadId, JsonWriter body) {
    return new WriteResult<>(
        new Answer(status, body),
        new StoredResponse.Content(status, threadId, body.toString(), null));
  }

  /** A response 200 without data that could be deleted later. */
  static WriteResult<Answer> ok(JsonWriter body) {
    return new WriteResult<>(
        new Answer(200, body), new StoredResponse.Content(200, null, body.toString(), null));
  }

  static Answer replay(Handle handle, StoredResponse.Content stored) {
    return new Answer(stored.status(), new JsonWriter(256).raw(requireNonNull(stored.body())));
  }

  Response toResponse() {
    return JsonResponse.of(status, body.toBytes()).build();
  }
}
