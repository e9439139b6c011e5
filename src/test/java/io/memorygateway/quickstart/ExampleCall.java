package io.memorygateway.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * A first request that works as pasted.
 *
 * @param path on the application port
 * @param body JSON without single quotes
 */
record ExampleCall(String path, String body) {

  static ExampleCall of(Upstreams upstreams) {
    return of(upstreams, Duration.ofSeconds(2));
  }

  /**
   * The same.
   *
   * @param timeout with a server that is asked for its models
   */
  static ExampleCall of(Upstreams upstreams, Duration timeout) {
    Provider provider = upstreams.configured().get(0);
    String model = provider.exampleModel();
    String url = upstreams.environment().get(provider.urlVariable());
    if (provider != Provider.ANTHROPIC && url != null && !upstreams.sample()) {
      String key = upstreams.environment().get(provider.keyVariable());
      model = firstModel(url, key, model, timeout);
    }
    String hello = "\"messages\":[{\"role\":\"user\",\"content\":\"Hello, who are you?\"}]";
    String named = "{\"model\":\"" + provider.wireName() + "/" + model + "\",";
    return provider == Provider.ANTHROPIC
        ? new ExampleCall("/v1/messages", named + "\"max_tokens\":200," + hello + "}")
        : new ExampleCall("/v1/chat/completions", named + hello + "}");
  }

  String curl(String gatewayUrl, String key) {
    return "curl %s%s -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '%s'"
        .formatted(gatewayUrl, path, key, body);
  }

  /** A server on premises has models of its own: the first that it lists, if it lists any. */
  private static String firstModel(String baseUrl, String key, String otherwise, Duration timeout) {
    try {
      HttpResponse<byte[]> answer =
          HttpClient.newBuilder()
              .connectTimeout(timeout.dividedBy(2))
              .build()
              .send(
                  HttpRequest.newBuilder(URI.create(baseUrl.replaceFirst("/+$", "") + "/models"))
                      .header("Authorization", "Bearer " + key)
                      .timeout(timeout)
                      .build(),
                  HttpResponse.BodyHandlers.ofByteArray());
      JsonNode id = new ObjectMapper().readTree(answer.body()).at("/data/0/id");
      boolean usable = answer.statusCode() == 200 && id.asText().matches("[\\w.:/@+-]+");
      return usable ? id.asText() : otherwise;
    } catch (IOException | IllegalArgumentException e) {
      return otherwise;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return otherwise;
    }
  }
}
