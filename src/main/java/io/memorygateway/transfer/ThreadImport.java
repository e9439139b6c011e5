package io.memorygateway.transfer;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.database.Home;
import io.memorygateway.database.Ids;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadTable;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Import of the files of {@link ThreadExport}. A file is checked as a whole before anything of it
 * is stored; then each thread is one transaction.
 */
final class ThreadImport {
  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
              .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
              .build());

  private static final String THREADS = ThreadTable.THREADS.tableName();

  private final Jdbi jdbi;
  private final Ids ids;
  private final boolean skipExisting;
  private final Map<ThreadTable, List<ThreadColumn>> columns;

  /**
   * @param skipExisting whether a thread with an existing id is skipped; else it is an error
   */
  ThreadImport(Jdbi jdbi, boolean skipExisting) {
    this.jdbi = jdbi;
    this.ids = new Ids(Transactions.ofOperators(jdbi));
    this.skipExisting = skipExisting;
    this.columns = jdbi.withHandle(ThreadColumn::read);
  }

  record Report(long threads, long messages, long skipped) {}

  /** Checks a whole file, and then imports it. */
  Report read(long projectId, Path file) throws Exception {
    try (BufferedReader in = Files.newBufferedReader(file)) {
      check(projectId, in);
    } catch (CharacterCodingException e) {
      throw ApiException.invalidRequest("The file is not UTF-8.");
    }
    try (BufferedReader in = Files.newBufferedReader(file)) {
      return store(projectId, in);
    }
  }

  private void check(long projectId, BufferedReader in) throws IOException {
    int number = 0;
    Set<String> known = new HashSet<>();
    ThreadCheck thread = null;
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      number++;
      try {
        JsonNode parsed = parse(line);
        thread = checked(parsed, thread);
        if (!skipExisting && parsed.path("table").asText().equals(THREADS)) {
          refuseExisting(projectId, parsed.at("/values/public_id").textValue(), known);
        }
      } catch (ApiException e) {
        throw ApiException.invalidRequest("Line " + number + ": " + e.error().message());
      }
    }
    if (thread != null) {
      throw ApiException.invalidRequest("The file ends in the middle of a thread.");
    }
  }

  /** Refuses a thread that the project has, or the file a second time. */
  private void refuseExisting(long projectId, String publicId, Set<String> known) {
    if (!known.add(publicId)) {
      throw ApiException.invalidRequest("the thread " + publicId + " stands there twice.");
    }
    if (jdbi.withExtension(ThreadDao.class, dao -> dao.find(projectId, publicId)).isPresent()) {
      throw ThreadRows.existing(publicId);
    }
  }

  /** Checks a line; returns the thread that goes on behind it, or null. */
  private @Nullable ThreadCheck checked(JsonNode line, @Nullable ThreadCheck thread) {
    String type = line.path("type").asText();
    if (thread == null) {
      if (!type.equals("thread") || line.path("format").asInt() != ThreadExport.FORMAT) {
        throw ApiException.invalidRequest("it is none of 'thread export', or of a newer version.");
      }
      return new ThreadCheck(columns);
    }
    if (type.equals("row")) {
      thread.row(line.path("table").asText(), line.path("values"));
      return thread;
    }
    if (!type.equals("end")) {
      throw ApiException.invalidRequest("it is none of 'thread export'.");
    }
    thread.end(line.path("rows").asLong(-1));
    return null;
  }

  private Report store(long projectId, BufferedReader in) throws Exception {
    long threads = 0;
    long messages = 0;
    long skipped = 0;
    while (in.readLine() != null) {
      long row = ids.next(Home.of(projectId));
      try (Handle handle = jdbi.open()) {
        ThreadRows rows =
            handle.inTransaction(transaction -> storeThread(transaction, row, projectId, in));
        threads += rows.isSkipped() ? 0 : 1;
        skipped += rows.isSkipped() ? 1 : 0;
        messages += rows.messages();
      }
    }
    return new Report(threads, messages, skipped);
  }

  private ThreadRows storeThread(Handle handle, long row, long projectId, BufferedReader in)
      throws IOException, SQLException {
    ThreadRows rows = new ThreadRows(handle, ids, row, projectId, skipExisting, columns);
    JsonNode line = parse(in.readLine());
    while (line.path("type").asText().equals("row")) {
      rows.add(line.path("table").asText(), line.path("values"));
      line = parse(in.readLine());
    }
    rows.finish();
    return rows;
  }

  private static JsonNode parse(@Nullable String line) {
    try {
      return JSON.readTree(requireNonNullElse(line, ""));
    } catch (JsonProcessingException e) {
      throw ApiException.invalidRequest("it is not JSON.");
    }
  }
}
