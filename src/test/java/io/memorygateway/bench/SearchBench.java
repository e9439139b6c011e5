package io.memorygateway.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.SplittableRandom;

/**
 * Times of searches, first ones and further ones, and of appends to threads that are searched and
 * to others. Started by {@code ops/bench/search}, which says what it needs.
 *
 * <p>Environment: {@code BENCH_PORT}, {@code BENCH_KEY}, {@code DATABASE_URL}, {@code
 * DATABASE_USER}, {@code DATABASE_PASSWORD}.
 */
final class SearchBench {
  private static final String PATH = "/v1/memory/search";
  private static final int WARM = 1_000;
  private static final int APPENDS = 2_000;

  private final String key = System.getenv("BENCH_KEY");
  private final SplittableRandom random = new SplittableRandom(2);
  private final BenchClient client;

  private SearchBench(BenchClient client) {
    this.client = client;
  }

  public static void main(String[] args) throws Exception {
    try (Connection database =
        DriverManager.getConnection(
            System.getenv("DATABASE_URL"),
            System.getenv("DATABASE_USER"),
            System.getenv("DATABASE_PASSWORD"))) {
      new SearchData(database).fill();
    }
    try (BenchClient client = new BenchClient(Integer.parseInt(System.getenv("BENCH_PORT")))) {
      new SearchBench(client).run();
    }
  }

  private void run() throws IOException {
    // The JVM is warm when what is measured begins.
    for (int i = 0; i < 2 * WARM; i++) {
      search(SearchData.resource(5_000, i % 4));
    }
    for (int i = 0; i < SearchData.SIZES.length; i++) {
      int size = SearchData.SIZES[i];
      ApiLatencies first = new ApiLatencies();
      ApiLatencies further = new ApiLatencies();
      for (int resource = 0; resource < SearchData.RESOURCES[i]; resource++) {
        first.add(search(SearchData.resource(size, resource)));
      }
      for (int search = 0; search < WARM; search++) {
        further.add(
            search(SearchData.resource(size, search % Math.min(3, SearchData.RESOURCES[i]))));
      }
      System.out.println(first.line("%,d messages, first search".formatted(size)));
      System.out.println(further.line("%,d messages, further ones".formatted(size)));
    }
    ApiLatencies unsearched = new ApiLatencies();
    ApiLatencies searched = new ApiLatencies();
    for (int i = 0; i < APPENDS; i++) {
      // In turns, so that both meet the same load.
      unsearched.add(append(SearchData.thread(SearchData.resource(5_000, 20), i % 10)));
      String resource = SearchData.resource(10_000, 0);
      searched.add(append(SearchData.thread(resource, i % 10)));
      if (i % 10 == 0) {
        search(resource);
      }
    }
    System.out.println(unsearched.line("append, never searched"));
    System.out.println(searched.line("append, searched after every tenth"));
  }

  private long search(String resource) throws IOException {
    String text = SearchData.text(random);
    String query = text.substring(0, text.indexOf(' ', Math.min(40, text.length() / 2)));
    return call(PATH, "{\"resourceId\":\"" + resource + "\",\"query\":\"" + query + "\"}");
  }

  private long append(String thread) throws IOException {
    return call(
        "/v1/memory/threads/" + thread + "/messages",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"" + SearchData.text(random) + "\"}]}");
  }

  private long call(String path, String body) throws IOException {
    byte[] request = BenchClient.post(key, path, "", body);
    long start = System.nanoTime();
    client.call(request);
    return System.nanoTime() - start;
  }
}
