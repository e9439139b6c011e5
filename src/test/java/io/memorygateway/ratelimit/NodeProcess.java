package io.memorygateway.ratelimit;

import io.memorygateway.testing.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** A {@link LimiterNode} in another JVM. */
final class NodeProcess {
  private final Process process;
  private final BufferedReader lines;
  private final Map<Long, LongAdder> admitted = new ConcurrentHashMap<>();
  private final Set<Long> full = ConcurrentHashMap.newKeySet();
  private Thread reader;

  private NodeProcess(Process process) {
    this.process = process;
    this.lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  static NodeProcess start(
      String url, String user, String password, long limit, int windowSeconds, int callers)
      throws IOException {
    List<String> command =
        JavaCommand.of(
            LimiterNode.class,
            url,
            user,
            password,
            String.valueOf(limit),
            String.valueOf(windowSeconds),
            String.valueOf(callers));
    return new NodeProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  void awaitReady() throws IOException {
    String line = lines.readLine();
    while (line != null && !line.equals("ready")) {
      line = lines.readLine(); // of its log
    }
    if (line == null) {
      throw new IllegalStateException("the node ended before it was ready");
    }
  }

  /** Lets its callers loose. */
  void go() throws IOException {
    reader = new Thread(this::read, "node-output");
    reader.start();
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  private void read() {
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(LimiterNode.ADMITTED)) {
          Long window = Long.valueOf(line.substring(LimiterNode.ADMITTED.length()));
          admitted.computeIfAbsent(window, w -> new LongAdder()).increment();
        } else if (line.startsWith(LimiterNode.FULL)) {
          full.add(Long.valueOf(line.substring(LimiterNode.FULL.length())));
        } else {
          System.err.println(line); // of its log
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** KILL: it says nothing more, not even goodbye to the database. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
    if (reader != null) {
      reader.join();
    }
  }

  void end() throws IOException, InterruptedException {
    process.getOutputStream().close();
    process.waitFor();
    reader.join();
  }

  /** Requests that it is known to have admitted, by the end of their window in epoch seconds. */
  long admitted(long window) {
    LongAdder count = admitted.get(window);
    return count == null ? 0 : count.sum();
  }

  Set<Long> windows() {
    return admitted.keySet();
  }

  /** Those in which it refused a request. */
  Set<Long> fullWindows() {
    return full;
  }
}
