package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** A client of the admin API that logs in with a token. */
record AdminClient(TestGateway gateway, String token) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A client with a new token. */
  static AdminClient of(TestGateway gateway, TestDatabase database, String role) throws Exception {
    return new AdminClient(gateway, token(database, role));
  }

  /** Has a gateway take tokens only. */
  static void takeTokens(ObjectNode config) {
    ((ObjectNode) config.get("admin")).putObject("auth").put("mode", "token");
  }

  static String token(TestDatabase database, String role) throws Exception {
    CommandLine.Outcome outcome =
        new CommandLine()
            .with(database)
            .run("admin-token", "issue", "--name", role, "--role", role, "config.yml");
    return JSON.readTree(outcome.out()).path("token").asText();
  }

  /** An id as a segment of a path. */
  static String segment(String id) {
    return id.equals(".") || id.equals("..") ? "%1F" + id : encoded(id);
  }

  static String encoded(String id) {
    return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
  }

  JsonNode get(String path) throws Exception {
    return json(send("GET", path, null));
  }

  JsonNode post(String path, String body) throws Exception {
    return json(send("POST", path, body));
  }

  HttpResponse<String> send(String method, String path, String body) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(gateway.adminUrl() + "/admin/api" + path))
            .header("Authorization", "Bearer " + token)
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    return gateway.send(request);
  }

  static JsonNode json(HttpResponse<String> answer) throws Exception {
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
    return JSON.readTree(answer.body());
  }
}
