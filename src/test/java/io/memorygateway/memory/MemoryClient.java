package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.memorygateway.testing.ReachableGateway;
import io.memorygateway.testing.TestTimeout;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Speaks the memory API with one key, as a client would. */
public final class MemoryClient {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final ReachableGateway gateway;
  private final String key;
  private final long patienceNanos;

  MemoryClient(ReachableGateway gateway, String key) {
    this(gateway, key, 0);
  }

  private MemoryClient(ReachableGateway gateway, String key, long patienceNanos) {
    this.gateway = gateway;
    this.key = key;
    this.patienceNanos = patienceNanos;
  }

  /**
   * For one of a crowd: a request is made again while it is told that the others were too long in
   * its way, as on a busy machine.
   */
  MemoryClient inCrowd() {
    return new MemoryClient(gateway, key, TimeUnit.SECONDS.toNanos(TestTimeout.SECONDS));
  }

  /** With a key of a project that is new. */
  public static MemoryClient ofNewProject(ReachableGateway gateway)
      throws IOException, InterruptedException {
    return new MemoryClient(gateway, gateway.issueKey("p-" + java.util.UUID.randomUUID()));
  }

  /** An answer: its status, and its body as text and as JSON. */
  public record Reply(int status, String text, HttpResponse<String> http) {
    public JsonNode json() {
      try {
        return JSON.readTree(text);
      } catch (IOException e) {
        throw new AssertionError(status + " " + text, e);
      }
    }

    public Reply is(int expected) {
      assertThat(status).as(text).isEqualTo(expected);
      return this;
    }

    Reply isError(int expected, String type) {
      is(expected);
      assertThat(json().at("/error/type").asText()).as(text).isEqualTo(type);
      assertThat(json().at("/error/message").asText()).isNotBlank();
      assertThat(http.headers().firstValue("Content-Type")).hasValue("application/json");
      return this;
    }
  }

  static String encode(String id) {
    String encoded = URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
    // As encodeURIComponent does, but with the dots that a client's own URI class would resolve.
    return id.equals(".") || id.equals("..") ? encoded.replace(".", "%2E") : encoded;
  }

  /** A path of a thread, its id encoded. */
  static String thread(String id) {
    return "/threads/" + encode(id);
  }

  /** An object of strings. */
  public static String json(String... namesAndValues) {
    var object = JSON.createObjectNode();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return object.toString();
  }

  public Reply get(String path) {
    return send("GET", path, null);
  }

  public Reply post(String path, String body) {
    return send("POST", path, bytes(body));
  }

  Reply patch(String path, String body) {
    return send("PATCH", path, bytes(body));
  }

  public Reply delete(String path) {
    return send("DELETE", path, null);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  Reply send(String method, String path, byte[] body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(gateway.url() + "/v1/memory" + path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    long end = System.nanoTime() + patienceNanos;
    try {
      HttpResponse<String> answer;
      do {
        answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
      } while (answer.statusCode() == 503 && System.nanoTime() - end < 0);
      return new Reply(answer.statusCode(), answer.body(), answer);
    } catch (IOException e) {
      throw new AssertionError(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** A new thread of a resource, which must not exist yet. */
  public void createThread(String id, String resourceId) {
    post("/threads", json("id", id, "resourceId", resourceId)).is(201);
  }

  /** Appends texts of a user; gives the ids. */
  public List<String> append(String thread, String... texts) {
    var body = JSON.createObjectNode();
    var messages = body.putArray("messages");
    for (String text : texts) {
      messages.addObject().put("role", "user").put("content", text);
    }
    Reply reply = post(thread(thread) + "/messages", body.toString()).is(201);
    List<String> ids = new ArrayList<>();
    reply.json().get("messages").forEach(message -> ids.add(message.get("id").asText()));
    return ids;
  }

  /** The contents of a page of messages. */
  List<String> contents(String path) {
    List<String> contents = new ArrayList<>();
    get(path)
        .is(200)
        .json()
        .get("messages")
        .forEach(message -> contents.add(message.get("content").asText()));
    return contents;
  }
}
