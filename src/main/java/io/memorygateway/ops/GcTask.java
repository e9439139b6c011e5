package io.memorygateway.ops;

import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.operator.Words;
import java.util.List;
import java.util.Map;

/** {@code gc}: has the JVM collect its garbage. In place of Dropwizard's, which nobody records. */
record GcTask(Runtime runtime) implements AdminTask {
  private static final TaskUsage USAGE =
      TaskUsage.of("gc", "Have the JVM collect its garbage", List.of());

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public Object run(Words words) {
    runtime.gc();
    return Map.of("heapBytesInUse", runtime.totalMemory() - runtime.freeMemory());
  }
}
