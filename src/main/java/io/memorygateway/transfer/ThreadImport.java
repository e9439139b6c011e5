package io.memorygateway.transfer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.operator.ParameterValues;
import java.io.BufferedReader;
import java.io.IOException;
import java.sql.SQLException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Import of the files of {@link ThreadExport}. Each thread is one transaction: it is imported
 * completely or not at all.
 */
final class ThreadImport {
  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
              .build());

  private final Jdbi jdbi;
  private final boolean skipExisting;

  /**
   * Creates an import into a database.
   *
   * @param skipExisting whether a thread with an existing id is skipped; else it is an error
   */
  ThreadImport(Jdbi jdbi, boolean skipExisting) {
    this.jdbi = jdbi;
    this.skipExisting = skipExisting;
  }

  /** Numbers of imported threads and messages, and of skipped threads. */
  record Report(long threads, long messages, long skipped) {}

  Report read(long projectId, BufferedReader in) throws Exception {
    long threads = 0;
    long messages = 0;
    long skipped = 0;
    String line = in.readLine();
    while (line != null) {
      JsonNode begin = parse(line);
      if (!begin.path("type").asText().equals("thread")
          || begin.path("format").asInt() != ThreadExport.FORMAT) {
        throw ParameterValues.wrong(
            "This is not a file of 'thread export', or of a newer version.");
      }
      try (Handle handle = jdbi.open()) {
        ThreadRows rows =
            handle.inTransaction(transaction -> readThread(transaction, projectId, in));
        if (rows.isSkipped()) {
          skipped++;
        } else if (rows.count() > 0) {
          threads++;
          messages += rows.messages();
        }
      }
      line = in.readLine();
    }
    return new Report(threads, messages, skipped);
  }

  private ThreadRows readThread(Handle handle, long projectId, BufferedReader in)
      throws IOException, SQLException {
    ThreadRows rows = new ThreadRows(handle, projectId, skipExisting);
    while (true) {
      JsonNode line = parse(in.readLine());
      switch (line.path("type").asText()) {
        case "row" -> rows.add(line.path("table").asText(), line.path("values"));
        case "end" -> {
          if (line.path("rows").asLong() != rows.count()) {
            throw ParameterValues.wrong("Rows of a thread are missing in the file.");
          }
          rows.finish();
          return rows;
        }
        default -> throw ParameterValues.wrong("A line of the file is none of 'thread export'.");
      }
    }
  }

  private static JsonNode parse(@Nullable String line) {
    if (line == null) {
      throw ParameterValues.wrong(
          "The file ends in the middle of a thread, which was not imported.");
    }
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw ParameterValues.wrong("A line of the file is not JSON.");
    }
  }
}
