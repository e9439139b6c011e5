package io.memorygateway.memory.api;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.admission.ClientPresence;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.search.Hit;
import io.memorygateway.search.Search;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The search in the messages of a thread or of a resource as JSON, for both ports. */
public record SearchView(Search search) {
  /** Longest wait of a search for heap before it is refused. */
  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(10);

  /**
   * Searches for what the body of a request asks for.
   *
   * @param closed whether members of the body that are not known are refused, as on the admin port
   */
  public byte[] search(
      Caller caller,
      byte[] body,
      boolean closed,
      ClientPresence client,
      RequestReservation reservation) {
    Search.Results results =
        search.search(caller, SearchBody.parse(body, closed), client, new Heap(reservation));
    JsonWriter out = new JsonWriter(512).ascii("{\"hits\":[");
    for (Hit hit : results.hits()) {
      write(out.element(), hit);
    }
    out.ascii("],\"ranking\":").string(results.isHybrid() ? "hybrid" : "bm25");
    out.ascii(",\"truncated\":").bool(results.truncated()).ascii("}");
    reservation.coverAnswer(out.length());
    return out.toBytes();
  }

  private static void write(JsonWriter out, Hit hit) {
    MessageJson.write(out.ascii("{\"message\":"), hit.threadId(), hit.message());
    out.ascii(",\"thread\":{\"id\":").string(hit.threadId()).ascii(",\"title\":");
    out.string(hit.title())
        .ascii("},\"score\":")
        .ascii(String.format(Locale.ROOT, "%.4f", hit.score()));
    out.ascii(",\"matched\":[");
    for (String word : hit.matched()) {
      out.element().string(word);
    }
    neighbours(out.ascii("],\"before\":["), hit.threadId(), hit.before());
    neighbours(out.ascii(",\"after\":["), hit.threadId(), hit.after());
    out.ascii("}");
  }

  private static void neighbours(JsonWriter out, String threadId, List<MessageRow> messages) {
    for (MessageRow message : messages) {
      MessageJson.write(out.element(), threadId, message);
    }
    out.ascii("]");
  }

  /** Adapter of the request's reservation of heap. */
  private record Heap(RequestReservation reservation) implements Search.HeapReserver {
    @Override
    public void reserve(long heap) {
      if (!reservation.awaitRequest(heap, HEAP_TIMEOUT)) {
        throw RequestReservation.refused();
      }
    }

    @Override
    public void coverAnswer(long bytes) {
      reservation.coverAnswer(bytes);
    }
  }
}
