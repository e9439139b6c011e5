package io.memorygateway.transfer;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.rows.MessageGap;
import io.memorygateway.memory.rows.ThreadTable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Check of the rows of one thread, before any of them is stored: a file can make nothing that the
 * API could not.
 */
final class ThreadCheck {
  private static final List<ThreadTable> TABLES = ThreadTable.exported();

  private final Map<ThreadTable, List<ThreadColumn>> columns;
  private int table = -1;
  private long rowsOfTable;
  private long lastOrder;
  private long base;
  private long next;
  private long messages;
  private long deleted;
  private final Map<Long, Long> messagesOfBlock = new HashMap<>();
  private final Set<String> unique = new HashSet<>();
  private long rows;

  ThreadCheck(Map<ThreadTable, List<ThreadColumn>> columns) {
    this.columns = columns;
  }

  void row(String name, JsonNode values) {
    ThreadTable found = enter(name);
    rows++;
    rowsOfTable++;
    int known = 0;
    boolean complete = values.isObject();
    for (ThreadColumn column : columns.getOrDefault(found, List.of())) {
      JsonNode value = values.get(column.name());
      complete &= value != null || column.isLater();
      known += value == null ? 0 : 1;
      String fault = value == null ? null : column.fault(value);
      if (fault != null) {
        throw wrong(name + "." + fault);
      }
    }
    require(
        complete && known == values.size(),
        "a row of " + name + " must have " + found.columnList() + ", and nothing else");
    order(found, values);
    switch (found) {
      case THREAD_HEADS -> {
        base = values.get("base_seq").longValue();
        next = values.get("next_seq").longValue();
        require(base <= next, "thread_heads.base_seq must not be above next_seq");
      }
      case MESSAGES -> message(values);
      case MESSAGE_GAPS -> gap(values.get("block").longValue(), values.get("deleted").longValue());
      case OBSERVATION_STATES ->
          require(
              values.get("observed_seq").longValue() < next,
              "observed_seq must be that of a message");
      case OBSERVATION_RECORDS -> once("record", values.get("public_id").textValue());
      case OBSERVATION_CHUNKS -> {
        require(values.get("last_seq").longValue() < next, "last_seq must be that of a message");
        once("cycle", values.get("cycle_id").textValue());
      }
      default -> {
        // The thread itself.
      }
    }
  }

  void end(long expectedRows) {
    require(expectedRows == rows, "rows of a thread are missing in the file");
    require(table > 0, "a thread lacks its row of threads or thread_heads");
    require(
        messages + deleted == next - base,
        "the messages and message_gaps of a thread do not make up its base_seq and next_seq");
    require(messages > 0 || base == next, "base_seq of a thread without messages must be next_seq");
  }

  /** Finds the table of a row: tables come in their order, and one row each of the first two. */
  private ThreadTable enter(String name) {
    int found = TABLES.stream().map(ThreadTable::tableName).toList().indexOf(name);
    require(found >= 0, "the table is none that this version exports");
    if (found != table) {
      require(
          found > table && (table >= 1 || found == table + 1),
          "the rows of a thread must come in the order of the export");
      int states = TABLES.indexOf(ThreadTable.OBSERVATION_STATES);
      require(
          found <= states || table >= states,
          "a thread with observations lacks its row of observation_states");
      table = found;
      rowsOfTable = 0;
    }
    return TABLES.get(found);
  }

  private void order(ThreadTable found, JsonNode values) {
    JsonNode order = values.get(found.key());
    if (order == null) {
      require(rowsOfTable == 1, "a thread has only one row of " + found.tableName());
      return;
    }
    require(
        rowsOfTable == 1 || order.longValue() > lastOrder,
        found.tableName() + "." + found.key() + " must ascend, and none stand there twice");
    lastOrder = order.longValue();
  }

  private void message(JsonNode values) {
    long seq = values.get("seq").longValue();
    require(seq >= base && seq < next, "messages.seq must be from base_seq on and below next_seq");
    once("message", values.get("public_id").textValue());
    messages++;
    messagesOfBlock.merge(Math.floorDiv(seq, MessageGap.SIZE), 1L, Long::sum);
  }

  private void gap(long block, long count) {
    long from = Math.max(base, block * MessageGap.SIZE);
    long to = Math.min(next, (block + 1) * MessageGap.SIZE);
    require(
        count == to - from - messagesOfBlock.getOrDefault(block, 0L),
        "message_gaps.deleted must be the number of the messages that a block lacks");
    deleted += count;
  }

  private void once(String what, String id) {
    require(unique.add(what + " " + id), "the " + what + " '" + id + "' stands there twice");
  }

  private static void require(boolean good, String fault) {
    if (!good) {
      throw wrong(fault);
    }
  }

  private static ApiException wrong(String fault) {
    return ApiException.invalidRequest(fault + ".");
  }
}
