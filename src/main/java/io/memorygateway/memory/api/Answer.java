package io.memorygateway.memory.api;

import static java.util.Objects.requireNonNull;

import io.memorygateway.http.JsonResponse;
import io.memorygateway.json.JsonOut;
import io.memorygateway.memory.StoredResponse;
import io.memorygateway.memory.Written;
import jakarta.ws.rs.core.Response;
import org.jdbi.v3.core.Handle;

/** The answer to a write, stored whole if the request has an Idempotency-Key. */
record Answer(int status, JsonOut body) {

  /**
   * An answer about a thread, gone with it.
   *
   * @param threadId {@code threads.id}
   */
  static Written<Answer> aboutThread(int status, long threadId, JsonOut body) {
    return new Written<>(
        new Answer(status, body),
        new StoredResponse.Content(status, threadId, body.toString(), null));
  }

  /** 200, with nothing in it that could be deleted later. */
  static Written<Answer> ok(JsonOut body) {
    return new Written<>(
        new Answer(200, body), new StoredResponse.Content(200, null, body.toString(), null));
  }

  /** The same again. */
  static Answer replay(Handle handle, StoredResponse.Content stored) {
    return new Answer(stored.status(), new JsonOut(256).raw(requireNonNull(stored.body())));
  }

  Response toResponse() {
    return JsonResponse.of(status, body.toBytes()).build();
  }
}
