package io.memorygateway.faults;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Callers that read more often than the key's limit lets them, over several gateways, and count by
 * window how many reads were answered. An answer that is lost on its way is not counted, nor is one
 * that took so long that it shows a later window than the one that admitted it: a window may seem
 * to have admitted fewer, and never more.
 */
final class AdmittedReads {
  private static final int CALLERS = 8;
  private static final int TOO_MANY_REQUESTS = 429;

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final List<String> gateways;
  private final String key;
  private final Duration window;
  private final Duration timeout;
  private final Map<Long, LongAdder> admitted = new ConcurrentHashMap<>();
  private final Set<Long> full = ConcurrentHashMap.newKeySet();
  private final AtomicLong longestCall = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean over;

  /**
   * Callers that do nothing yet.
   *
   * @param window of the key's limit
   * @param timeout of a call, after which its caller hangs up
   */
  AdmittedReads(List<String> gateways, String key, Duration window, Duration timeout) {
    this.gateways = List.copyOf(gateways);
    this.key = key;
    this.window = window;
    this.timeout = timeout;
  }

  void start() {
    for (int i = 0; i < CALLERS; i++) {
      String gateway = gateways.get(i % gateways.size());
      Thread thread = new Thread(() -> read(gateway), "reader-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  void finish() throws InterruptedException {
    over = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Windows in which a read was refused. */
  int full() {
    return full.size();
  }

  /** Windows that admitted more than the limit. */
  long over(long limit) {
    return admitted.values().stream().filter(count -> count.sum() > limit).count();
  }

  /** The most that any window admitted. */
  long most() {
    return admitted.values().stream().mapToLong(LongAdder::sum).max().orElse(0);
  }

  double longestCallSeconds() {
    return longestCall.get() / 1e9;
  }

  private void read(String gateway) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(gateway + "/v1/memory/threads?limit=1"))
            .header("Authorization", "Bearer " + key)
            .timeout(timeout)
            .build();
    while (!over) {
      long begun = System.nanoTime();
      long begunMillis = System.currentTimeMillis();
      int status = 0;
      try {
        HttpResponse<Void> answer = http.send(request, HttpResponse.BodyHandlers.discarding());
        status = answer.statusCode();
        long reset = answer.headers().firstValueAsLong("X-RateLimit-Reset").orElse(0);
        if (begunMillis >= TimeUnit.SECONDS.toMillis(reset) - window.toMillis()) {
          count(status, reset);
        }
      } catch (IOException e) {
        // Not answered, so not known to be admitted.
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      longestCall.accumulateAndGet(System.nanoTime() - begun, Math::max);
      if (status != 200) {
        pause();
      }
    }
  }

  private void count(int status, long window) {
    if (status == 200) {
      admitted.computeIfAbsent(window, w -> new LongAdder()).increment();
    } else if (status == TOO_MANY_REQUESTS) {
      full.add(window);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
