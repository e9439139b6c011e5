package io.memorygateway.operator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Client of a gateway's admin port, for commands with the option of its address. */
public final class RemoteGateway {
  private static final String API = "/admin/api";

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Longest wait for a task; some, such as a purge, take long. */
  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  private static final int MAX_RESPONSE_BYTES = 64 << 20;
  private static final int BUFFER = 16 << 10;

  private final URI url;
  private final @Nullable String token;
  private final ObjectMapper json;

  /**
   * @param url of the admin port, such as {@code http://127.0.0.1:8081}
   * @param token an admin token; null or empty: none
   */
  RemoteGateway(String url, @Nullable String token, ObjectMapper json) {
    this.url = parse(url);
    this.token = token == null || token.isBlank() ? null : token.strip();
    this.json = json;
  }

  private static URI parse(String url) {
    try {
      URI parsed = URI.create(url.strip().replaceAll("/+$", ""));
      boolean http = "http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme());
      if (http && parsed.getHost() != null && parsed.getRawQuery() == null) {
        return parsed;
      }
    } catch (IllegalArgumentException e) {
      // handled below
    }
    throw new IllegalArgumentException(
        "url must be the address of an admin port, such as http://127.0.0.1:8081");
  }

  /**
   * Runs a task.
   *
   * @param parameters names and values of its parameters
   * @return its answer, as it is to be printed
   * @throws IllegalArgumentException with a one-line message for the operator, if it is refused or
   *     the gateway cannot be reached
   */
  String run(String task, Map<String, String> parameters) throws InterruptedException {
    return send(
        "POST",
        "/tasks/" + encoded(task),
        parameters,
        (response, body) -> {
          String answer = new String(body.readNBytes(MAX_RESPONSE_BYTES), StandardCharsets.UTF_8);
          return isJson(response)
              ? json.writerWithDefaultPrettyPrinter().writeValueAsString(json.readTree(answer))
                  + "\n"
              : answer;
        });
  }

  /**
   * Reads from the admin API.
   *
   * @param path below {@code /admin/api}
   * @throws IllegalArgumentException as {@link #run} does
   */
  public JsonNode get(String path, Map<String, String> query) throws InterruptedException {
    return send(
        "GET",
        API + path,
        query,
        (response, body) -> json.readTree(body.readNBytes(MAX_RESPONSE_BYTES)));
  }

  /**
   * Copies a stream of the admin API.
   *
   * @param path below {@code /admin/api}, percent-encoded
   * @param target opened once the answer has begun, and closed at its end
   * @throws IllegalArgumentException as {@link #run} does, and if the answer breaks off
   */
  public void copy(String method, String path, Map<String, String> query, Target target)
      throws InterruptedException {
    send(
        method,
        API + path,
        query,
        (response, body) -> {
          try (CommandOutput out = target.open()) {
            copy(body, out);
            out.finish();
          }
          return "";
        });
  }

  @FunctionalInterface
  public interface Target {
    CommandOutput open() throws IOException;
  }

  @FunctionalInterface
  private interface Reader<T> {
    T read(HttpResponse<?> response, InputStream body) throws IOException;
  }

  private <T> T send(String method, String path, Map<String, String> query, Reader<T> reader)
      throws InterruptedException {
    String parameters =
        query.entrySet().stream()
            .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
            .collect(Collectors.joining("&"));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path + "?" + parameters))
            .timeout(TIMEOUT)
            .header("Accept", "application/json, application/x-ndjson, text/plain, text/csv")
            .method(method, BodyPublishers.noBody());
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    boolean answered = false;
    try {
      HttpResponse<InputStream> response =
          client.send(request.build(), BodyHandlers.ofInputStream());
      answered = true;
      try (InputStream body = response.body()) {
        if (response.statusCode() != 200) {
          throw refused(response, body);
        }
        return reader.read(response, body);
      }
    } catch (BrokenOffException e) {
      throw new IllegalArgumentException(
          "The answer of the admin port at "
              + shown()
              + " broke off; what went to standard output is not whole.",
          e);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "The admin port at "
              + shown()
              + " answered with what is no JSON: it is none of this gateway",
          e);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          answered
              ? "The answer of the admin port at "
                  + shown()
                  + " could not be read or written: "
                  + reason(e)
              : "The admin port at " + shown() + " cannot be reached: " + reason(e),
          e);
    }
  }

  /** Early end of the answer, as opposed to a failure of the target. */
  private static final class BrokenOffException extends IOException {
    BrokenOffException(IOException cause) {
      super(cause);
    }
  }

  private static void copy(InputStream body, OutputStream out) throws IOException {
    byte[] buffer = new byte[BUFFER];
    int read = read(body, buffer);
    while (read >= 0) {
      out.write(buffer, 0, read);
      read = read(body, buffer);
    }
  }

  private static int read(InputStream body, byte[] buffer) throws IOException {
    try {
      return body.read(buffer);
    } catch (IOException e) {
      throw new BrokenOffException(e);
    }
  }

  private static boolean isJson(HttpResponse<?> response) {
    return response.headers().firstValue("Content-Type").orElse("").startsWith("application/json");
  }

  private IllegalArgumentException refused(HttpResponse<?> response, InputStream body)
      throws IOException {
    JsonNode message = MissingNode.getInstance();
    if (isJson(response)) {
      message = json.readTree(body.readNBytes(MAX_RESPONSE_BYTES)).at("/error/message");
    }
    return new IllegalArgumentException(
        "The admin port at %s answered with %d: %s"
            .formatted(
                shown(),
                response.statusCode(),
                message.isTextual() ? message.asText() : "it is none of this gateway"));
  }

  private String shown() {
    return url.getScheme() + "://" + url.getHost() + (url.getPort() < 0 ? "" : ":" + url.getPort());
  }

  private static String reason(IOException e) {
    String message = e.getMessage();
    if (message != null && !message.isBlank()) {
      return message;
    }
    return e instanceof ConnectException ? "it does not accept connections" : "no answer";
  }

  /** Percent-encodes a text as a part of a query or, with its slashes, of a path. */
  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
