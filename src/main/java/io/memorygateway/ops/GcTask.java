package io.memorygateway.ops;

import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.TaskUsage;
import java.util.List;
import java.util.Map;

/**
 * {@code gc}: runs the JVM's garbage collector. Replaces Dropwizard's task, which leaves no record.
 */
record GcTask(Runtime runtime) implements AdminTask {
  private static final TaskUsage USAGE =
      TaskUsage.of("gc", "Have the JVM collect its garbage", List.of());

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public Object run(ParameterValues values) {
    runtime.gc();
    return Map.of("heapBytesInUse", runtime.totalMemory() - runtime.freeMemory());
  }
}
