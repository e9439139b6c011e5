package io.memorygateway.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.ReachableGateway;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/** Calls with memory, and a look at what they leave in their thread. */
final class ThreadCaller {
  static final String CHAT = "/v1/chat/completions";
  static final String MESSAGES = "/v1/messages";
  static final String RESPONSES = "/v1/responses";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ReachableGateway gateway;
  private final String thread;
  private final String resource;

  /** Calls of a thread of the resource {@code user-1}. */
  ThreadCaller(ReachableGateway gateway, String thread) {
    this(gateway, thread, "user-1");
  }

  ThreadCaller(ReachableGateway gateway, String thread, String resource) {
    this.gateway = gateway;
    this.thread = thread;
    this.resource = resource;
  }

  /** One call. */
  HttpResponse<String> call(String path, String json) throws IOException, InterruptedException {
    return gateway.send(request(path, json));
  }

  HttpRequest.Builder request(String path, String json) {
    return gateway
        .request(path)
        .header("Content-Type", "application/json")
        .header("x-thread-id", thread)
        .header("x-resource-id", resource)
        .POST(HttpRequest.BodyPublishers.ofString(json));
  }

  /** The same with one user message over Chat Completions. */
  HttpResponse<String> say(String text) throws IOException, InterruptedException {
    return call(CHAT, chat(message("user", text)));
  }

  /** A request to the memory API. */
  HttpResponse<String> memory(String path, String json) throws IOException, InterruptedException {
    return gateway.send(
        gateway
            .request("/v1/memory" + path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  static String chat(String... messages) {
    return "{\"model\":\"gpt-5\",\"messages\":[" + String.join(",", messages) + "]}";
  }

  static String streamedChat(String... messages) {
    return "{\"model\":\"gpt-5\",\"stream\":true,\"messages\":["
        + String.join(",", messages)
        + "]}";
  }

  static String message(String role, String text) {
    return "{\"role\":\"%s\",\"content\":\"%s\"}".formatted(role, text);
  }

  /** What is stored: {@code role content}, in order, with the marks that messages have. */
  List<String> stored() throws IOException, InterruptedException {
    List<String> stored = new ArrayList<>();
    for (JsonNode message : rows()) {
      stored.add(
          message.path("role").asText()
              + " "
              + message.path("content")
              + (message.has("incomplete") ? " incomplete" : "")
              + (message.has("superseded") ? " superseded" : ""));
    }
    return stored;
  }

  JsonNode rows() throws IOException, InterruptedException {
    return JSON.readTree(
            gateway
                .get(
                    "/v1/memory/threads/"
                        + thread.replace("%", "%25").replace("/", "%2F")
                        + "/messages?limit=200")
                .body())
        .path("messages");
  }

  /** The messages of a body that went upstream: {@code role content}. */
  static List<String> sent(JsonNode body) {
    List<String> sent = new ArrayList<>();
    for (JsonNode message : body.path(body.has("messages") ? "messages" : "input")) {
      JsonNode content = message.has("content") ? message.path("content") : message;
      sent.add(message.path("role").asText() + " " + content);
    }
    return sent;
  }
}
