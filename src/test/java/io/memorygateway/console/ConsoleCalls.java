package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.awaitility.Awaitility;

/** What applications do while operators look. */
record ConsoleCalls(TestGateway gateway) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A route, fast, to the model small of the provider near, and then to large of far. */
  static void route(ObjectNode config, FakeUpstream upstream) {
    for (String name : new String[] {"near", "far"}) {
      ObjectNode provider = config.withObject("/providers").putObject(name);
      provider.put("baseUrl", upstream.url() + "/" + name + "/v1").put("needsKey", false);
      provider.putArray("endpoints").add("chat");
    }
    ArrayNode groups = config.withObject("/routes").putObject("fast").putArray("groups");
    groups.addArray().addObject().put("to", "near/small");
    groups.addArray().addObject().put("to", "far/large");
  }

  /** Calls a model; in a thread of the resource user-7, if one is named. */
  HttpResponse<String> chat(String key, String model, String said, String thread) throws Exception {
    ObjectNode body = JSON.createObjectNode().put("model", model);
    body.putArray("messages").addObject().put("role", "user").put("content", said);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(gateway.url() + "/v1/chat/completions"))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.toString()));
    if (thread != null) {
      request.header("x-thread-id", thread).header("x-resource-id", "user-7");
    }
    return gateway.send(request);
  }

  /** Makes a thread of the resource user-7 so long that its observations are condensed. */
  void observed(String key, String thread) throws Exception {
    memory(key, "POST", "/threads", "{\"id\":\"" + thread + "\",\"resourceId\":\"user-7\"}");
    memory(
        key,
        "PATCH",
        "/threads/" + thread + "/observations/config",
        "{\"messageTokens\":200,\"observationTokens\":100}");
    for (int round = 0; round < 12; round++) {
      ObjectNode body = JSON.createObjectNode();
      for (int i = 0; i < 8; i++) {
        body.withArray("/messages")
            .addObject()
            .put("role", "user")
            .put(
                "content",
                "On day %d zebra number %d was given %d kilograms of hay and likes it very much."
                    .formatted(round, i, round * 8 + i));
      }
      memory(key, "POST", "/threads/" + thread + "/messages", body.toString());
    }
    String history = "/threads/" + thread + "/observations/history";
    Awaitility.await().until(() -> memory(key, "GET", history, null).path("records").size() > 1);
  }

  /** Rows of the request log that fit, once there are some. */
  JsonNode awaitRequests(AdminClient operator, String filter) throws Exception {
    String path = "/requests?" + filter;
    Awaitility.await().until(() -> !operator.get(path).path("requests").isEmpty());
    return operator.get(path).path("requests");
  }

  JsonNode memory(String key, String method, String path, String body) throws Exception {
    HttpResponse<String> answer =
        gateway.send(
            HttpRequest.newBuilder(URI.create(gateway.url() + "/v1/memory" + path))
                .header("Authorization", "Bearer " + key)
                .header("Content-Type", "application/json")
                .method(
                    method,
                    body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body)));
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
    return JSON.readTree(answer.body());
  }
}
