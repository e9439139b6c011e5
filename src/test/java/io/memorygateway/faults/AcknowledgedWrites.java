package io.memorygateway.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.RecordedRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToIntFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Clients that write to memory over several gateways, appends and turns in turns, each repeated
 * until it is acknowledged; and the check of what is remembered then: every acknowledged write is
 * there once, in its client's order, each turn with its answer, and nothing was observed twice.
 */
final class AcknowledgedWrites {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern FACT = Pattern.compile("(?<!Answer to )fact \\d+ of client \\d+");
  private static final Duration GIVEN_UP_AFTER = Duration.ofMinutes(3);

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final List<String> gateways;
  private final String key;
  private final String run;
  private final Duration timeout;
  private final List<ConcurrentLinkedQueue<Write>> acknowledged = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Errors> longestErrors =
      new AtomicReference<>(new Errors(0, Map.of()));
  private final CallTimes times = new CallTimes();
  private final AtomicLong refusals = new AtomicLong();
  private final AtomicLong abandoned = new AtomicLong();
  private final AtomicInteger miscounted = new AtomicInteger();
  private volatile boolean over;

  /**
   * A write that a client repeats until it is acknowledged.
   *
   * @param turn whether it is a proxied call, which is stored with its answer
   */
  private record Write(String thread, String text, boolean turn) {}

  /**
   * Why a write was not acknowledged at once.
   *
   * @param nanos from the first attempt that failed to the acknowledgement
   * @param times of each answer
   */
  private record Errors(long nanos, Map<String, Integer> times) {
    Errors longer(Errors other) {
      return other.nanos > nanos ? other : this;
    }
  }

  /**
   * What was found in the end.
   *
   * @param writes that were acknowledged
   * @param lost acknowledged and not there, or a turn without its answer; or never acknowledged
   * @param doubled there more than once
   * @param miscounted threads that do not say the number of messages that they have
   * @param disordered not in the order in which their client sent them
   * @param observed in the log of its thread
   * @param observedTwice in the log of its thread more than once
   */
  record Findings(
      int writes,
      int lost,
      int doubled,
      int miscounted,
      int disordered,
      int observed,
      int observedTwice) {
    int faults() {
      return lost + doubled + miscounted + disordered + observedTwice;
    }
  }

  /**
   * Clients that do nothing yet.
   *
   * @param gateways their addresses
   * @param run what names of threads and keys begin with
   * @param timeout of a call, after which its client hangs up
   */
  AcknowledgedWrites(List<String> gateways, String key, String run, int clients, Duration timeout) {
    this.gateways = List.copyOf(gateways);
    this.key = key;
    this.run = run;
    this.timeout = timeout;
    for (int client = 0; client < clients; client++) {
      acknowledged.add(new ConcurrentLinkedQueue<>());
    }
  }

  /** The model that observes, by {@link #echo}. */
  static final String OBSERVER = "observer";

  /** The upstream's answer to a turn, by which it is known; an observer notes every fact. */
  static Answer echo(RecordedRequest request) {
    JsonNode body = request.json();
    String text =
        body.path("model").asText().equals(OBSERVER)
            ? notes(body.at("/messages/1/content").asText())
            : answerTo(CannedReplies.lastUserText(body));
    CannedReplies.Reply reply = CannedReplies.reply(request.path(), body, text);
    return reply.isStream() ? Answer.sse(reply.events()) : Answer.json(reply.json());
  }

  private static String notes(String messages) {
    StringBuilder notes = new StringBuilder("<observations>\nDate: November 23, 2026\n");
    messages
        .lines()
        .filter(line -> line.startsWith("fact "))
        .forEach(line -> notes.append("* 🟡 (09:30) User says: ").append(line).append('\n'));
    return notes + "</observations>";
  }

  private static String answerTo(String question) {
    return "Answer to " + question;
  }

  private String own(int client) {
    return run + "own-" + client;
  }

  private String shared() {
    return run + "shared";
  }

  /** Makes the threads that are written to. */
  void createThreads() throws IOException, InterruptedException {
    List<String> names = new ArrayList<>(List.of(shared()));
    for (int client = 0; client < acknowledged.size(); client++) {
      names.add(own(client));
    }
    for (String name : names) {
      String body = "{\"id\":\"" + name + "\",\"resourceId\":\"faults\"}";
      HttpRequest request =
          request(gateways.get(0) + "/v1/memory/threads")
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build();
      http.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }

  /** Starts the clients, which wait for so long after each write. */
  void start(long betweenMillis) {
    for (int client = 0; client < acknowledged.size(); client++) {
      int number = client;
      Thread thread = new Thread(() -> write(number, betweenMillis), "client-" + client);
      threads.add(thread);
      thread.start();
    }
  }

  /** Begins no further write; returns once all are acknowledged. */
  void finish() throws InterruptedException {
    over = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Answers that made a client ask again. */
  long refusals() {
    return refusals.get();
  }

  /** The longest time from the first attempt at a write that failed to its acknowledgement. */
  double longestErrorsSeconds() {
    return longestErrors.get().nanos / 1e9;
  }

  /** What that write was answered, and how often. */
  Map<String, Integer> longestErrors() {
    return longestErrors.get().times;
  }

  /** How long calls took, however they ended. */
  CallTimes times() {
    return times;
  }

  /** One write after the other, each repeated until it is acknowledged. */
  private void write(int client, long betweenMillis) {
    for (int number = 0; !over; number++) {
      String thread = number % 10 == 9 ? shared() : own(client);
      Write write =
          new Write(thread, "fact %d of client %d.".formatted(number, client), number % 4 >= 2);
      long failing = 0;
      Map<String, Integer> times = new TreeMap<>();
      String refusal = refusal(client, number, 0, write);
      for (int attempt = 1; !refusal.isEmpty(); attempt++) {
        refusals.incrementAndGet();
        times.merge(refusal, 1, Integer::sum);
        failing = failing == 0 ? System.nanoTime() : failing;
        if (over && System.nanoTime() - failing > GIVEN_UP_AFTER.toNanos()) {
          System.out.println("FAULT: never acknowledged: " + write + ": " + refusal);
          abandoned.incrementAndGet();
          return;
        }
        pause(100);
        refusal = refusal(client, number, attempt, write);
      }
      if (failing > 0) {
        Errors errors = new Errors(System.nanoTime() - failing, times);
        longestErrors.accumulateAndGet(errors, Errors::longer);
      }
      acknowledged.get(client).add(write);
      pause(betweenMillis);
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Makes an attempt; returns what was answered if that is no acknowledgement, else "". */
  private String refusal(int client, int number, int attempt, Write write) {
    String gateway = gateways.get((client + number + attempt) % gateways.size());
    boolean stream = number % 4 == 3;
    String path =
        write.turn()
            ? "/v1/chat/completions"
            : "/v1/memory/threads/" + write.thread() + "/messages";
    String message = "\"role\":\"user\",\"content\":\"" + write.text() + "\"";
    String id = number % 4 == 1 ? "\"id\":\"m-" + client + "-" + number + "\"," : "";
    String body =
        write.turn()
            ? "{\"model\":\"gpt-5\",\"stream\":" + stream + ",\"messages\":[{" + message + "}]}"
            : "{\"messages\":[{" + id + message + "}]}";
    HttpRequest.Builder request =
        request(gateway + path).POST(HttpRequest.BodyPublishers.ofString(body));
    if (id.isEmpty()) {
      request.header("Idempotency-Key", run + "k-" + client + "-" + number);
    }
    if (write.turn()) {
      request.header("x-thread-id", write.thread()).header("x-resource-id", "faults");
    }
    long begun = System.nanoTime();
    // For the whole answer: a timeout of the request would end with the answer's head.
    CompletableFuture<HttpResponse<String>> call =
        http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
    try {
      HttpResponse<String> answer = call.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      boolean acknowledged =
          answer.statusCode() / 100 == 2 && (!stream || answer.body().contains("data: [DONE]"));
      return acknowledged ? "" : answer.statusCode() + " " + answer.body();
    } catch (ExecutionException e) {
      return String.valueOf(e.getCause());
    } catch (TimeoutException e) {
      call.cancel(true);
      return e.toString();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      times.add(begun);
    }
  }

  private HttpRequest.Builder request(String uri) {
    return HttpRequest.newBuilder(URI.create(uri))
        .header("Authorization", "Bearer " + key)
        .header("Content-Type", "application/json");
  }

  /**
   * Reads everything back; each broken promise is printed.
   *
   * @param gateway that is asked
   */
  Findings check(String gateway) throws IOException, InterruptedException {
    Map<String, List<Row>> stored = new HashMap<>();
    int disordered = 0;
    for (int client = 0; client < acknowledged.size(); client++) {
      List<Row> rows = rows(gateway, own(client));
      stored.put(own(client), rows);
      disordered += disordered(own(client), texts(rows));
    }
    stored.put(shared(), rows(gateway, shared()));
    int writes = 0;
    int lost = (int) abandoned.get();
    for (ConcurrentLinkedQueue<Write> ofClient : acknowledged) {
      for (Write write : ofClient) {
        writes++;
        lost += isThere(write, texts(stored.get(write.thread()))) ? 0 : 1;
      }
    }
    int doubled = 0;
    int observed = 0;
    int observedTwice = 0;
    for (Map.Entry<String, List<Row>> thread : stored.entrySet()) {
      doubled += tooOften("stored", facts(String.join("\n", texts(thread.getValue()))), fact -> 1);
      List<String> inLog = facts(log(gateway, thread.getKey()));
      // The question of a turn that was interrupted is a message, too, beside that of the next try.
      List<String> messages = thread.getValue().stream().map(Row::text).toList();
      Map<String, Integer> times = times(facts(String.join("\n", messages)));
      observed += inLog.size();
      observedTwice += tooOften("observed", inLog, fact -> times.getOrDefault(fact, 0));
    }
    return new Findings(
        writes, lost, doubled, miscounted.get(), disordered, observed, observedTwice);
  }

  private static boolean isThere(Write write, List<String> texts) {
    int at = texts.indexOf(write.text());
    if (at < 0) {
      tell("acknowledged, but not stored: " + write);
      return false;
    }
    if (write.turn()
        && (at + 1 >= texts.size() || !texts.get(at + 1).equals(answerTo(write.text())))) {
      tell("a turn without its answer: " + write);
      return false;
    }
    return true;
  }

  private static List<String> facts(String text) {
    return FACT.matcher(text).results().map(MatchResult::group).toList();
  }

  private static Map<String, Integer> times(List<String> facts) {
    Map<String, Integer> times = new HashMap<>();
    facts.forEach(fact -> times.merge(fact, 1, Integer::sum));
    return times;
  }

  /** Facts that are there more often than they may be. */
  private static int tooOften(String how, List<String> facts, ToIntFunction<String> limit) {
    int faults = 0;
    for (Map.Entry<String, Integer> fact : times(facts).entrySet()) {
      if (fact.getValue() > limit.applyAsInt(fact.getKey())) {
        faults += tell(how + " " + fact.getValue() + " times: " + fact.getKey());
      }
    }
    return faults;
  }

  /** A client's own writes stand in its order. */
  private static int disordered(String thread, List<String> texts) {
    int faults = 0;
    int last = -1;
    for (String text : texts) {
      if (!text.startsWith("fact ")) {
        continue;
      }
      int number = Integer.parseInt(text.split(" ", -1)[1]);
      if (number < last) {
        faults += tell("out of order in " + thread + ": " + number + " after " + last);
      }
      last = number;
    }
    return faults;
  }

  private static int tell(String fault) {
    System.out.println("FAULT: " + fault);
    return 1;
  }

  private String log(String gateway, String thread) throws IOException, InterruptedException {
    return get(gateway + "/v1/memory/threads/" + thread + "/observations")
        .path("observations")
        .asText();
  }

  private JsonNode get(String uri) throws IOException, InterruptedException {
    return JSON.readTree(
        http.send(request(uri).build(), HttpResponse.BodyHandlers.ofString()).body());
  }

  /**
   * A stored message.
   *
   * @param whole whether it is neither incomplete nor superseded
   */
  private record Row(String text, boolean whole) {}

  private static List<String> texts(List<Row> rows) {
    return rows.stream().filter(Row::whole).map(Row::text).toList();
  }

  /** All messages of a thread; pages that overlap or end too early show that it counts wrongly. */
  private List<Row> rows(String gateway, String thread) throws IOException, InterruptedException {
    Map<String, Row> rows = new LinkedHashMap<>();
    int offset = 0;
    while (true) {
      JsonNode page =
          get(
              "%s/v1/memory/threads/%s/messages?limit=200&offset=%d"
                  .formatted(gateway, thread, offset));
      for (JsonNode row : page.path("messages")) {
        boolean whole = !row.path("incomplete").asBoolean() && !row.path("superseded").asBoolean();
        rows.put(row.path("id").asText(), new Row(text(row.path("content")), whole));
      }
      int read = page.path("messages").size();
      int total = page.path("total").asInt();
      offset += read;
      if (offset >= total || read == 0) {
        if (rows.size() != total) {
          miscounted.addAndGet(
              tell(thread + " says " + total + " messages and has " + rows.size()));
        }
        return List.copyOf(rows.values());
      }
    }
  }

  private static String text(JsonNode content) {
    if (content.isTextual()) {
      return content.asText();
    }
    JsonNode parts = content.has("content") ? content.path("content") : content;
    return parts.isTextual() ? parts.asText() : parts.path(0).path("text").asText();
  }
}
