package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Attempts at calls of one thread, on any node.
 *
 * @param thread its id
 * @param callers run those that wait for each other
 */
record Attempts(String thread, Executor callers) {
  /**
   * One attempt.
   *
   * @param retryCount as SDKs tell it; null if it is not told
   */
  HttpResponse<String> make(TestGateway node, String path, String body, String retryCount)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = new ThreadCaller(node, thread).request(path, body);
    if (retryCount != null) {
      request.header("x-stainless-retry-count", retryCount);
    }
    return node.send(request);
  }

  /** One that is answered. */
  HttpResponse<String> send(TestGateway node, String path, String body, String retryCount)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = make(node, path, body, retryCount);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer;
  }

  /** The same of Chat, on a thread of its own. */
  CompletableFuture<HttpResponse<String>> sending(
      TestGateway node, String body, String retryCount) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return send(node, ThreadCaller.CHAT, body, retryCount);
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
          }
        },
        callers);
  }

  static boolean isReplay(HttpResponse<String> answer) {
    return answer.headers().firstValue("Idempotent-Replayed").isPresent();
  }
}
