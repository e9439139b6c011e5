package io.memorygateway.faults;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Callers that make short chat calls at a rate, as far as answers come soon enough, or as fast as
 * they can, every other one with memory; and what became of them.
 */
final class PacedCalls {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String gateway;
  private final String key;
  private final int callers;
  private final double perSecond;
  private final String name;
  private final List<Thread> threads = new ArrayList<>();
  private final ConcurrentLinkedQueue<Long> answeredNanos = new ConcurrentLinkedQueue<>();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger withoutRetryAfter = new AtomicInteger();
  private final AtomicInteger other = new AtomicInteger();
  private volatile boolean over;

  /**
   * Callers that do nothing yet.
   *
   * @param perSecond calls of all of them together; 0: as many as they can make
   * @param name of their threads of memory
   */
  PacedCalls(String gateway, String key, int callers, double perSecond, String name) {
    this.gateway = gateway;
    this.key = key;
    this.callers = callers;
    this.perSecond = perSecond;
    this.name = name;
  }

  /**
   * Makes calls in a process of its own, which says what became of them when its input ends.
   *
   * <p>Arguments: the gateway, the key, the number of callers, calls a second, the name.
   */
  public static void main(String[] args) throws Exception {
    PacedCalls calls =
        new PacedCalls(
                args[0], args[1], Integer.parseInt(args[2]), Double.parseDouble(args[3]), args[4])
            .start();
    System.in.readAllBytes();
    calls.finish();
    System.out.printf("%d %d %d%n", calls.answered(), calls.refused(), calls.failed());
  }

  PacedCalls start() {
    long begin = System.nanoTime();
    for (int i = 0; i < callers; i++) {
      int caller = i;
      Thread thread = new Thread(null, () -> call(caller, begin), "caller-" + i, 256 << 10);
      threads.add(thread);
      thread.start();
    }
    return this;
  }

  PacedCalls finish() throws InterruptedException {
    over = true;
    for (Thread thread : threads) {
      thread.join();
    }
    return this;
  }

  int answered() {
    return answeredNanos.size();
  }

  /** With 429 or 503, and a Retry-After. */
  int refused() {
    return refused.get();
  }

  /** Whatever else came of a call: a 429 or 503 without a Retry-After, an error, no answer. */
  int failed() {
    return withoutRetryAfter.get() + other.get();
  }

  /** Of the answered ones, in milliseconds. */
  double percentile(double share) {
    long[] all = answeredNanos.stream().mapToLong(Long::longValue).sorted().toArray();
    return all.length == 0 ? 0 : all[(int) (share * (all.length - 1))] / 1e6;
  }

  private void call(int caller, long begin) {
    double apart = perSecond == 0 ? 0 : callers / perSecond * 1e9;
    for (int number = 0; !over; number++) {
      long due = begin + (long) ((number + (double) caller / callers) * apart);
      for (long left = due - System.nanoTime(); left > 0 && !over; left = due - System.nanoTime()) {
        LockSupport.parkNanos(Math.min(left, 50_000_000));
      }
      if (over) {
        return;
      }
      long begun = System.nanoTime();
      try {
        HttpResponse<String> answer =
            http.send(request(caller, number), HttpResponse.BodyHandlers.ofString());
        count(answer, System.nanoTime() - begun);
      } catch (IOException e) {
        other.incrementAndGet();
        System.err.printf(
            "%s %d-%d of %s failed %.1f s after its start: %s%n",
            Instant.now(), caller, number, name, (System.nanoTime() - begun) / 1e9, e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void count(HttpResponse<String> answer, long nanos) {
    if (answer.statusCode() == 200) {
      answeredNanos.add(nanos);
    } else if (answer.statusCode() != 429 && answer.statusCode() != 503) {
      other.incrementAndGet();
      System.err.println(answer + ": " + answer.body());
    } else if (answer.headers().firstValueAsLong("Retry-After").orElse(0) > 0) {
      refused.incrementAndGet();
    } else {
      withoutRetryAfter.incrementAndGet();
    }
  }

  private HttpRequest request(int caller, int number) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(gateway + "/v1/chat/completions"))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .header("X-Request-Id", name + "-" + caller + "-" + number)
            .timeout(TIMEOUT)
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"model\":\""
                        + LoadUpstream.SHORT
                        + "\",\"messages\":[{\"role\":\"user\",\"content\":\"Question "
                        + number
                        + " of caller "
                        + caller
                        + "\"}]}"));
    if (number % 2 == 1) {
      // A thread for every fifty turns, so that contexts stay as long as they are.
      request
          .header("x-thread-id", name + "-" + caller + "-" + number / 100)
          .header("x-resource-id", "load");
    }
    return request.build();
  }
}
