package io.memorygateway.ops;

import io.memorygateway.cli.Word;
import io.memorygateway.cli.Words;
import io.memorygateway.http.AdminTask;
import io.memorygateway.json.Timestamps;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/** {@code drain}: takes a node out of the load balancers' hands, and gives it back. */
record DrainTask(Drain drain, IntSupplier connections) implements AdminTask {
  private static final List<Word> WORDS =
      List.of(Word.optional("state", "on, off, or show; on if left out"));

  @Override
  public String name() {
    return "drain";
  }

  @Override
  public Object execute(Map<String, String> given) {
    String state = new Words(given, WORDS).oneOf("state", List.of("on", "off", "show"));
    if (state == null || state.equals("on")) {
      drain.begin();
    } else if (state.equals("off")) {
      drain.end();
    }
    Instant since = drain.since();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("draining", since != null);
    answer.put("since", since == null ? null : Timestamps.format(since));
    answer.put("connections", connections.getAsInt());
    return answer;
  }
}
