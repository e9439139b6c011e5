package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;

/** A key with budgets, in the hands of its caller and of its operator. */
final class BudgetedKey {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TestGateway gateway;
  private final String id;
  private final String secret;

  private BudgetedKey(TestGateway gateway, JsonNode issued) {
    this.gateway = gateway;
    this.id = issued.path("id").asText();
    this.secret = issued.path("key").asText();
  }

  static BudgetedKey issue(TestGateway gateway, String project) throws Exception {
    return new BudgetedKey(gateway, gateway.task("key-issue?name=k&project=" + project));
  }

  String id() {
    return id;
  }

  String secret() {
    return secret;
  }

  /** Gives it the budget b of tokens, for ever. */
  BudgetedKey tokens(long limit) throws Exception {
    budget("tokens", Long.toString(limit), "");
    return this;
  }

  /** Gives it the budget b, for ever. */
  void budget(String unit, String limit, String more) throws Exception {
    budget("b", unit, limit, "total", more);
  }

  void budget(String name, String unit, String limit, String window, String more) throws Exception {
    gateway.task(
        "key-budget?id=%s&name=%s&unit=%s&limit=%s&window=%s%s"
            .formatted(id, name, unit, limit, window, more));
  }

  JsonNode limits() throws Exception {
    HttpResponse<String> answer = gateway.send(request("/v1/usage/limits").GET());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body()).path("limits");
  }

  JsonNode limit() throws Exception {
    return limit("b");
  }

  JsonNode limit(String name) throws Exception {
    for (JsonNode limit : limits()) {
      if (limit.path("name").asText().equals(name)) {
        return limit;
      }
    }
    throw new AssertionError("no limit " + name);
  }

  /** What is used of the budget b, once nothing is held of it. */
  long settled() throws Exception {
    return settled("b").asLong();
  }

  /** Asserts what is used of the budget b, once nothing is held of it. */
  void assertSettled(Object used) throws Exception {
    assertSettled("b", used);
  }

  void assertSettled(String name, Object used) throws Exception {
    assertThat(settled(name).asText()).isEqualTo(used.toString());
  }

  private JsonNode settled(String name) throws Exception {
    await().until(() -> limit(name).path("held").asText().equals("0"));
    return limit(name).path("used");
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(gateway.url() + path))
        .header("Authorization", "Bearer " + secret)
        .header("Content-Type", "application/json");
  }

  HttpResponse<String> post(String path, String body, String... headers) throws Exception {
    HttpRequest.Builder request = request(path);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return gateway.send(request.POST(BodyPublishers.ofString(body)));
  }

  /** The same on a thread of its own. */
  CompletableFuture<HttpResponse<String>> posting(String path, String body) {
    CompletableFuture<HttpResponse<String>> answer = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                answer.complete(post(path, body));
              } catch (Exception e) {
                answer.completeExceptionally(e);
              }
            })
        .start();
    return answer;
  }
}
