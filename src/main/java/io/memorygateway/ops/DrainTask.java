package io.memorygateway.ops;

import io.memorygateway.json.Timestamps;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.TaskUsage;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/** {@code drain}: takes a node out of the load balancers, and puts it back. */
record DrainTask(Drain drain, IntSupplier connections) implements AdminTask {
  private static final TaskUsage USAGE =
      TaskUsage.of(
          "drain",
          "Take the node out of the load balancers' hands, or give it back",
          List.of(Parameter.optional("state", "on, off, or show; on if left out")));

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public boolean isReadOnly(ParameterValues values) {
    return "show".equals(values.optional("state"));
  }

  @Override
  public Object before(ParameterValues values) {
    return state();
  }

  @Override
  public Object run(ParameterValues values) {
    String state = values.oneOf("state", List.of("on", "off", "show"));
    if (state == null || state.equals("on")) {
      drain.begin();
    } else if (state.equals("off")) {
      drain.end();
    }
    Map<String, Object> answer = state();
    answer.put("connections", connections.getAsInt());
    return answer;
  }

  private Map<String, Object> state() {
    Instant since = drain.since();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("draining", since != null);
    answer.put("since", Timestamps.formatOrNull(since));
    return answer;
  }
}
