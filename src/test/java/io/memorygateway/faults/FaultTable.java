package io.memorygateway.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.memorygateway.faults.ProviderFault.End;
import io.memorygateway.faults.ProviderFault.Expected;
import io.memorygateway.format.chat.ChatStreamRules;
import io.memorygateway.format.messages.MessagesStreamRules;
import io.memorygateway.format.responses.ResponsesStreamRules;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestTimeout;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The fault table: every fault of a provider, for each format, natively and translated to each
 * other one, whole and streamed, with and without memory, called through a route whose second
 * target is healthy.
 */
final class FaultTable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final List<String> PATHS =
      List.of("/v1/chat/completions", "/v1/messages", "/v1/responses");
  private static final List<String> FORMATS = List.of("chat", "messages", "responses");

  /** What the first target serves: all formats, or one to which the others are translated. */
  private static final List<String> SERVED = List.of("all", "chat", "messages", "responses");

  private static final String HEALTHY = "healthy";
  private static final String NEXT = "healthy-all/healthy";
  private static final int AT_ONCE = 12;

  /** The gateway's comment where an event could not be read. */
  private static final String BYPASSED = ": X-Memory-Status: bypassed\n";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String gateway;
  private final String admin;
  private final String key;
  private final List<String> deviations = new ArrayList<>();
  private int cells;

  /**
   * Cell of the table.
   *
   * @param deviation from what is expected; null if there is none
   */
  private record Cell(String line, @Nullable String deviation) {}

  FaultTable(String gateway, String admin, String key) {
    this.gateway = gateway;
    this.admin = admin;
    this.key = key;
  }

  /**
   * {@code config FILE PROVIDER SLOW_MILLIS} prints a configuration; {@code run GATEWAY ADMIN KEY}
   * prints the table, and fails where it differs from what is expected.
   */
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("config")) {
      ObjectNode config = (ObjectNode) YAML.readTree(new File(arguments[1]));
      configure(config, arguments[2], FakeUpstream.closedPort(), Long.parseLong(arguments[3]));
      System.out.println(YAML.writeValueAsString(config));
      return;
    }
    FaultTable table = new FaultTable(arguments[1], arguments[2], arguments[3]);
    table.run(System.out);
    table.deviations.forEach(deviation -> System.out.println("DIFFERS " + deviation));
    System.out.println(table.cells + " cells, " + table.deviations.size() + " differ");
    System.exit(table.deviations.isEmpty() ? 0 : 1);
  }

  /**
   * Adds the providers and a route for each fault.
   *
   * @param slowMillis between two tokens of a slow answer, which no timeout may take for a dead one
   */
  static void configure(ObjectNode config, String provider, int closedPort, long slowMillis) {
    for (String rule : List.of("global", "llm_proxy", "llm_burst", "memory_read")) {
      config.withObject("/rateLimits/rules/" + rule).put("limit", 100_000);
    }
    for (String served : SERVED) {
      for (String name : List.of("faulty-", "silent-", "stalling-", "refused-", HEALTHY + "-")) {
        ObjectNode entry = config.withObject("/providers").putObject(name + served);
        String url = name.equals("refused-") ? "http://127.0.0.1:" + closedPort : provider;
        entry.put("baseUrl", url + "/v1").put("needsKey", false);
        // Short ones only where one is waited for: a busy machine exceeds them as well.
        if (name.equals("silent-")) {
          entry.put("firstByteTimeout", slowMillis + 700 + "ms");
        }
        if (name.equals("silent-") || name.equals("stalling-")) {
          entry.put("idleTimeout", slowMillis + 1200 + "ms");
        }
        for (String format : FORMATS) {
          boolean isNative = served.equals("all") || served.equals(format);
          entry.withArray(isNative ? "/endpoints" : "/translate").add(format);
        }
      }
      for (ProviderFault fault : ProviderFault.values()) {
        var groups =
            config.withObject("/routes").putObject(route(fault, served)).putArray("groups");
        groups.addArray().addObject().put("to", target(fault, served)).put("window", 8);
        groups.addArray().addObject().put("to", NEXT).put("window", 100_000);
      }
    }
  }

  private static String route(ProviderFault fault, String served) {
    return fault.model() + "-on-" + served;
  }

  private static String target(ProviderFault fault, String served) {
    String provider =
        switch (fault) {
          case REFUSED -> "refused-";
          case HEAD_THEN_NOTHING, SILENT_AFTER_START, ENDLESS_COMMENTS -> "silent-";
          case STALL_AFTER_20_TOKENS, SLOW_TOKENS -> "stalling-";
          default -> "faulty-";
        };
    return provider + served + "/" + fault.model();
  }

  /**
   * Prints the table, several faults at once, because most of them are waited for.
   *
   * @return where it differs from what is expected; empty if it does not
   */
  List<String> run(PrintStream out) throws Exception {
    out.printf(
        "%-24s %-17s %-10s %-8s %-6s %-11s %-5s %7s  %s%n",
        "fault", "format", "target", "form", "memory", "end", "twice", "ms", "attempts");
    ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<List<Cell>>> faults = new ArrayList<>();
      for (ProviderFault fault : ProviderFault.values()) {
        for (String served : SERVED) {
          faults.add(pool.submit(() -> cells(fault, served)));
        }
      }
      for (Future<List<Cell>> fault : faults) {
        for (Cell cell : fault.get()) {
          cells++;
          out.println(cell.line());
          if (cell.deviation() != null) {
            deviations.add(cell.deviation());
          }
        }
      }
    } finally {
      pool.shutdownNow();
    }
    return deviations;
  }

  private List<Cell> cells(ProviderFault fault, String served)
      throws IOException, InterruptedException {
    List<Cell> all = new ArrayList<>();
    for (String path : PATHS) {
      if (path.contains("/" + served)) {
        continue; // native, as with a target that serves all
      }
      for (boolean stream : new boolean[] {false, true}) {
        for (boolean memory : new boolean[] {false, true}) {
          if (fault.expected(stream) != null) {
            all.add(cell(fault, served, path, stream, memory));
          }
        }
      }
    }
    return all;
  }

  private Cell cell(ProviderFault fault, String served, String path, boolean stream, boolean memory)
      throws IOException, InterruptedException {
    closeCircuits(target(fault, served));
    String route = route(fault, served);
    String thread = memory ? route + path.replace('/', '-') + stream : null;
    long start = System.nanoTime();
    HttpResponse<String> answer = call(route, path, stream, thread);
    long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
    boolean translated = !served.equals("all");
    String end =
        translated ? translated(fault, path, stream, answer) : end(fault, path, stream, answer);
    boolean twice = isTwice(answer.body());
    String attempts = answer.headers().firstValue("X-Gateway-Attempts").orElse("");
    String line =
        String.format(
            Locale.ROOT,
            "%-24s %-17s %-10s %-8s %-6s %-11s %-5s %7d  %s",
            fault.model().substring("fault-".length()),
            path.substring("/v1/".length()),
            translated ? served : "native",
            stream ? "streamed" : "whole",
            memory ? "yes" : "no",
            end,
            twice ? "TWICE" : "no",
            millis,
            attempts);
    Expected expected = expected(fault, stream, translated);
    String first = target(fault, served) + "=" + expected.status();
    boolean headWentOut = fault == ProviderFault.ENDLESS_COMMENTS;
    String wanted =
        expected.end() == End.NEXT && !headWentOut ? first + ", " + NEXT + "=200" : first;
    String stored = memory ? stored(thread) : "";
    if (end.equals(name(expected.end()))
        && !twice
        && attempts.equals(wanted)
        && (!memory
            || stored.equals(expectedStored(fault, expected.end(), translated, answer.body())))) {
      return new Cell(line, null);
    }
    return new Cell(
        line,
        "%s %s on %s stream=%s memory=%s: %s, expected %s; attempts %s, expected %s; stored %s; %s"
            .formatted(
                fault,
                path,
                served,
                stream,
                memory,
                end,
                name(expected.end()),
                attempts,
                wanted,
                stored,
                answer.body().substring(0, Math.min(300, answer.body().length()))));
  }

  /** A line that nobody can read ends an answer that has to be read to be translated. */
  private static Expected expected(ProviderFault fault, boolean stream, boolean translated) {
    return translated && fault == ProviderFault.BROKEN_LINE
        ? new Expected(End.ERROR_EVENT, 200)
        : fault.expected(stream);
  }

  private static String name(End end) {
    return end.name().toLowerCase(Locale.ROOT);
  }

  private String end(ProviderFault fault, String path, boolean stream, HttpResponse<String> answer)
      throws IOException {
    String body = withoutComments(answer.body());
    if (answer.statusCode() != 200) {
      return answer.statusCode() == fault.expected(stream).status() ? "status" : "?";
    }
    if (isReply(path, HEALTHY, CannedReplies.TEXT, stream, body)) {
      return "next";
    }
    if (stream && fault == ProviderFault.BROKEN_LINE) {
      List<String> events = events(path, fault.model(), fault.said());
      return body.equals(String.join("", ProviderFault.withBrokenLine(events))) ? "first" : "?";
    }
    if (isReply(path, fault.model(), fault.said(), stream, body)) {
      return "first";
    }
    String spoken =
        stream
            ? String.join("", ProviderFault.spoken(events(path, fault.model(), fault.said())))
            : "";
    boolean honest =
        stream
            && body.startsWith(spoken)
            && body.substring(spoken.length()).contains("error")
            && !body.contains("[DONE]")
            && !body.contains("message_stop")
            && !body.contains("response.completed");
    return honest ? "error_event" : "?";
  }

  /** How a call ended whose answer was translated: it is in other words than the target's. */
  private String translated(
      ProviderFault fault, String path, boolean stream, HttpResponse<String> answer)
      throws IOException {
    String body = withoutComments(answer.body());
    if (answer.statusCode() != 200 || isReply(path, HEALTHY, CannedReplies.TEXT, stream, body)) {
      return end(fault, path, stream, answer);
    }
    if (!stream) {
      return text(path, JSON.readTree(body)).equals(fault.said()) ? "first" : "?";
    }
    boolean whole;
    try {
      whole = keepsTheOrder(path, body);
    } catch (AssertionError malformed) {
      return "malformed";
    }
    String said = ProviderFault.tokens(body);
    boolean cut = fault == ProviderFault.BROKEN_LINE && fault.said().startsWith(said + " token");
    return said.equals(fault.said()) || cut ? (whole ? "first" : "error_event") : "?";
  }

  /** Holds a stream to the order of its format; returns whether it ended without an error. */
  private static boolean keepsTheOrder(String path, String body) {
    if (path.endsWith("completions")) {
      ChatStreamRules.of(body);
    } else if (path.endsWith("messages")) {
      MessagesStreamRules.check(body);
    } else {
      ResponsesStreamRules rules = new ResponsesStreamRules();
      rules.takeAll(body);
      rules.end();
    }
    return !body.contains("\"error\":{");
  }

  /** The events: comments of the upstream and of the gateway are none. */
  private static String withoutComments(String body) {
    return body.replaceAll("(?m)^: waiting *\n\n?", "").replace(BYPASSED, "");
  }

  private static boolean isReply(
      String path, String model, String text, boolean stream, String body) throws IOException {
    if (stream) {
      return body.equals(String.join("", events(path, model, text)));
    }
    CannedReplies.Reply reply =
        CannedReplies.reply(path, JSON.readTree(body(path, model, false)), text);
    JsonNode got = JSON.readTree(body);
    return text(path, got).equals(text(path, JSON.readTree(reply.json())));
  }

  /** What an answer says; its usage depends on what memory added to the call. */
  private static String text(String path, JsonNode answer) {
    if (path.endsWith("completions")) {
      return answer.at("/choices/0/message/content").asText();
    }
    return path.endsWith("messages")
        ? answer.at("/content/0/text").asText()
        : answer.at("/output/0/content/0/text").asText();
  }

  private static List<String> events(String path, String model, String text) throws IOException {
    return CannedReplies.reply(path, JSON.readTree(body(path, model, true)), text).events();
  }

  private static boolean isTwice(String body) {
    String word = body.contains("token1\"") ? "\"token1\"" : "\"Hello\"";
    int first = body.indexOf(word);
    return first >= 0 && body.indexOf(word, first + 1) >= 0;
  }

  private void closeCircuits(String first) throws IOException, InterruptedException {
    for (String target : List.of(first, NEXT)) {
      String[] parts = target.split("/", 2);
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(
                      URI.create(
                          "%s/tasks/circuit?state=closed&provider=%s&model=%s"
                              .formatted(admin, parts[0], parts[1])))
                  .POST(HttpRequest.BodyPublishers.noBody())
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IOException("the circuit of " + target + " cannot be closed: " + answer.body());
      }
    }
  }

  private HttpResponse<String> call(String model, String path, boolean stream, String thread)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        request(path)
            .header("Content-Type", "application/json")
            .timeout(TestTimeout.DEFAULT)
            .POST(HttpRequest.BodyPublishers.ofString(body(path, model, stream)));
    if (thread != null) {
      request.header("x-thread-id", thread).header("x-resource-id", "r");
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(gateway + path))
        .header("Authorization", "Bearer " + key);
  }

  private static String body(String path, String model, boolean stream) {
    return "{\"model\":\"%s\",\"max_tokens\":99,\"stream\":%s,%s\"%s\":[{\"role\":\"user\",\"content\":\"Question\"}]}"
        .formatted(
            model,
            stream,
            stream && path.endsWith("completions")
                ? "\"stream_options\":{\"include_usage\":true},"
                : "",
            path.endsWith("responses") ? "input" : "messages");
  }

  /** What the thread holds: roles, the length of the answer's text, and whether it is whole. */
  private String stored(String thread) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.send(
            request("/v1/memory/threads/" + thread + "/messages").build(),
            HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() == 404) {
      return "nothing";
    }
    List<String> all = new ArrayList<>();
    for (JsonNode message : JSON.readTree(answer.body()).path("messages")) {
      JsonNode content = message.path("content");
      String text = content.isTextual() ? content.asText() : content.findPath("text").asText();
      all.add(
          message.path("role").asText()
              + (message.has("incomplete") ? " incomplete " : " ")
              + text);
    }
    return all.isEmpty() ? "nothing" : String.join("; ", all);
  }

  private static String expectedStored(
      ProviderFault fault, End end, boolean translated, String body) {
    if (body.contains(BYPASSED)) {
      return expectedStored(fault, End.ERROR_EVENT, false, "");
    }
    String said = translated && end == End.ERROR_EVENT ? ProviderFault.tokens(body) : fault.said();
    return switch (end) {
      case NEXT -> "user Question; assistant " + CannedReplies.TEXT;
      case FIRST -> "user Question; assistant " + said;
      case ERROR_EVENT -> "user incomplete Question; assistant incomplete " + said;
      case STATUS -> "nothing";
    };
  }
}
