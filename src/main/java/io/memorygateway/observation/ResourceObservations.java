package io.memorygateway.observation;

import io.memorygateway.json.JsonWriter;
import java.time.Instant;
import java.util.List;
import java.util.function.LongConsumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a resource, as the API shows it, in the shapes of {@link Observations}. The
 * texts are small; heap is reserved for all generations that are kept.
 *
 * @param resource of the caller's project
 * @param heap called with the number of bytes to be read before they are
 */
public record ResourceObservations(
    Handle handle, ResourceDao.Resource resource, LongConsumer heap) {
  /** Of a resource of a project, read within a transaction. */
  public static ResourceObservations of(
      Handle handle, long projectId, String projectName, String resourceId, LongConsumer heap) {
    return new ResourceObservations(
        handle, new ResourceDao.Resource(projectId, projectName, resourceId), heap);
  }

  public boolean exists() {
    return !dao().threads(resource, 1).isEmpty();
  }

  /** {@code {"observations":…}}: what is known, or null. */
  public byte[] text() {
    return new JsonWriter(64)
        .ascii("{\"observations\":")
        .string(
            records(null, null, 1, 0).stream()
                .map(ObservationRecord::observations)
                .filter(observations -> !observations.isEmpty())
                .findFirst()
                .orElse(null))
        .ascii("}")
        .toBytes();
  }

  /** {@code {"record":…}}: the current record, or null. */
  public byte[] current() {
    JsonWriter out = new JsonWriter(1024).ascii("{\"record\":");
    List<ObservationRecord> records = records(null, null, 1, 0);
    if (records.isEmpty()) {
      out.ascii("null");
    } else {
      json().write(out, records.get(0));
    }
    return out.ascii("}").toBytes();
  }

  /**
   * {@code {"records":[…],"total","limit","offset"}}: newest first, the current one included.
   *
   * @param from the earliest time of creation, or null
   * @param to the latest, or null
   */
  public byte[] history(@Nullable Instant from, @Nullable Instant to, Observations.Page page) {
    JsonWriter out = new JsonWriter(4096).ascii("{\"records\":[");
    for (ObservationRecord record : records(from, to, page.limit(), page.offset())) {
      json().write(out.element(), record);
    }
    return page.end(out, dao().count(resource, from, to));
  }

  private List<ObservationRecord> records(
      @Nullable Instant from, @Nullable Instant to, int limit, long offset) {
    heap.accept(dao().bytes(resource));
    return dao().history(resource, from, to, limit, offset);
  }

  private RecordJson json() {
    return new RecordJson(null, resource.resourceId(), Instant.EPOCH);
  }

  private ResourceDao dao() {
    return handle.attach(ResourceDao.class);
  }
}
