package io.memorygateway.ratelimit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whether the windows of rate limits are exact on a cluster of the database: three processes with
 * 32 callers each use one key, each on a database node of its own where the URLs say so. Started by
 * {@code ops/faults/cluster}.
 *
 * <p>Arguments: how many windows, of a second, the limit, a JDBC URL for each process. Ends with
 * status 1 if a window admitted more than the limit, or none was used up, as on a machine that is
 * too slow for it.
 */
final class ClusterWindows {
  private static final int CALLERS = 32;

  private ClusterWindows() {}

  public static void main(String[] args) throws Exception {
    int windows = Integer.parseInt(args[0]);
    long limit = Long.parseLong(args[1]);
    String user = System.getenv().getOrDefault("DATABASE_USER", "root");
    String password = System.getenv().getOrDefault("DATABASE_PASSWORD", "");
    List<NodeProcess> nodes = new ArrayList<>();
    try {
      for (String url : List.of(args).subList(2, args.length)) {
        nodes.add(NodeProcess.start(url, user, password, limit, 1, CALLERS));
      }
      for (NodeProcess node : nodes) {
        node.awaitReady();
      }
      for (NodeProcess node : nodes) {
        node.go();
      }
      long end = System.nanoTime() + (windows + 60L) * 1_000_000_000;
      while (nodes.get(0).fullWindows().size() < windows && System.nanoTime() < end) {
        Thread.sleep(100);
      }
      for (NodeProcess node : nodes) {
        node.end();
      }
      System.exit(report(nodes, limit) ? 0 : 1);
    } finally {
      for (NodeProcess node : nodes) {
        node.kill();
      }
    }
  }

  private static boolean report(List<NodeProcess> nodes, long limit) {
    Map<Long, Long> admitted = new TreeMap<>();
    List<Long> full = new ArrayList<>();
    for (NodeProcess node : nodes) {
      node.windows().forEach(window -> admitted.merge(window, node.admitted(window), Long::sum));
      full.addAll(node.fullWindows());
    }
    long over = admitted.values().stream().filter(count -> count > limit).count();
    long under =
        full.stream()
            .distinct()
            .filter(window -> admitted.getOrDefault(window, 0L) < limit)
            .count();
    long max = admitted.values().stream().mapToLong(Long::longValue).max().orElse(0);
    System.out.printf(
        "windows=%d full=%d over=%d under=%d most=%d limit=%d by_node=%s%n",
        admitted.size(),
        full.stream().distinct().count(),
        over,
        under,
        max,
        limit,
        nodes.stream()
            .map(node -> node.windows().stream().mapToLong(node::admitted).sum())
            .toList());
    return over == 0 && !full.isEmpty();
  }
}
