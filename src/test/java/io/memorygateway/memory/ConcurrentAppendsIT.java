package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.SharedGateway;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §5: batches stay together, also when 20 callers append at once. */
@Tag("heavy")
class ConcurrentAppendsIT {
  private static final int CALLERS = 20;

  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  @Test
  void twentyCallersAppendBatchesAndEachStaysTogether() throws Exception {
    MemoryClient client = MemoryClient.ofNewProject(GATEWAY);
    client.createThread("t", "r");
    int batches = 8;
    int size = 7;
    together(
        caller -> {
          for (int batch = 0; batch < batches; batch++) {
            String name = caller + "." + batch + ".";
            client
                .inCrowd()
                .append(
                    "t", IntStream.range(0, size).mapToObj(i -> name + i).toArray(String[]::new));
          }
          return null;
        });
    List<String> all = new ArrayList<>();
    int total = CALLERS * batches * size;
    for (int offset = 0; offset < total; offset += 200) {
      all.addAll(client.contents("/threads/t/messages?limit=200&offset=" + offset));
    }
    assertThat(all).hasSize(total).doesNotHaveDuplicates();
    for (int i = 0; i < total; i += size) {
      String name = all.get(i).substring(0, all.get(i).lastIndexOf('.') + 1);
      assertThat(all.subList(i, i + size))
          .isEqualTo(IntStream.range(0, size).mapToObj(k -> name + k).toList());
    }
    for (int caller = 0; caller < CALLERS; caller++) {
      String prefix = caller + ".";
      assertThat(all.stream().filter(m -> m.startsWith(prefix)).toList())
          .isSortedAccordingTo(java.util.Comparator.naturalOrder());
    }
  }

  @Test
  void twentyCallersMakeOneThread() throws Exception {
    MemoryClient client = MemoryClient.ofNewProject(GATEWAY);
    List<Integer> statuses =
        together(
            caller ->
                client
                    .inCrowd()
                    .post("/threads", "{\"id\":\"same\",\"resourceId\":\"r\"}")
                    .status());
    assertThat(statuses).containsOnlyOnce(201).containsOnly(200, 201);
    assertThat(client.get("/threads").json().get("total").asInt()).isEqualTo(1);
  }

  @Test
  void twentyCallersStoreOneMessage() throws Exception {
    MemoryClient client = MemoryClient.ofNewProject(GATEWAY);
    client.createThread("t", "r");
    String body = "{\"messages\":[{\"id\":\"m\",\"role\":\"user\",\"content\":\"x\"}]}";
    assertThat(
            together(caller -> client.inCrowd().post("/threads/t/messages", body).is(201).text()))
        .containsOnly(client.post("/threads/t/messages", body).text());
    assertThat(client.get("/threads/t/messages").json().get("total").asInt()).isEqualTo(1);
  }

  @Test
  void threadsThatComeAndGoAtOnceAreCountedExactly() throws Exception {
    MemoryClient client = MemoryClient.ofNewProject(GATEWAY);
    together(
        caller -> {
          for (int i = 0; i < 6; i++) {
            client.inCrowd().createThread(caller + "-" + i, "r" + caller % 2);
            if (i % 2 == 0) {
              String thread = "/threads/" + caller + "-" + i;
              client.inCrowd().delete(thread).is(200);
            }
          }
          return null;
        });
    assertThat(client.get("/threads?limit=200").json().get("threads")).hasSize(60);
    assertThat(client.get("/threads").json().get("total").asInt()).isEqualTo(60);
    assertThat(client.get("/threads?resourceId=r1").json().get("total").asInt()).isEqualTo(30);
  }

  /** What one of the callers does. */
  private interface Call<T> {
    T by(int caller) throws Exception;
  }

  private static <T> List<T> together(Call<T> call) throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    try {
      CyclicBarrier start = new CyclicBarrier(CALLERS);
      List<Callable<T>> calls =
          IntStream.range(0, CALLERS)
              .mapToObj(
                  caller ->
                      (Callable<T>)
                          () -> {
                            start.await();
                            return call.by(caller);
                          })
              .collect(Collectors.toList());
      List<T> results = new ArrayList<>();
      for (Future<T> result : callers.invokeAll(calls)) {
        results.add(result.get());
      }
      return results;
    } finally {
      callers.shutdownNow();
    }
  }
}
