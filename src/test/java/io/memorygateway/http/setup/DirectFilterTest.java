package io.memorygateway.http.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.admission.Admission;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ThrownErrors;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DirectFilterTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final String HALF = "half of an answer";

  private static final Admission LIMITS =
      new Admission() {
        @Override
        public void admit(HttpServletRequest request, String path) {
          if (request.getHeader("refuse") != null) {
            throw new ApiException(ApiError.notFound("Refused."));
          }
        }

        @Override
        public void setHeaders(
            HttpServletRequest request,
            String path,
            java.util.function.BiConsumer<String, String> headers) {
          headers.accept("left", "7");
        }
      };

  @AutoClose("stop")
  private static final Server SERVER = new Server(0);

  @BeforeAll
  static void start() throws Exception {
    Map<String, DirectFilter.Handler> endpoints =
        Map.of(
            "/v1/whole",
                (request, body) -> Response.ok(body).header("a", "1").header("a", "2").build(),
            "/v1/defect",
                (request, body) -> {
                  throw new AssertionError("zebra");
                },
            "/v1/breaks", (request, body) -> stream(false),
            "/v1/breaks-later", (request, body) -> stream(true));
    ServletContextHandler context = new ServletContextHandler("/");
    context.addFilter(
        new FilterHolder(
            new DirectFilter(endpoints, List.of(LIMITS), new ThrownErrors(failure -> false))),
        "/*",
        EnumSet.of(DispatcherType.REQUEST));
    context.addServlet(new ServletHolder(new Next()), "/*");
    SERVER.setHandler(context);
    SERVER.start();
  }

  private static Response stream(boolean flushed) {
    StreamingOutput output =
        out -> {
          out.write(HALF.getBytes(StandardCharsets.UTF_8));
          if (flushed) {
            out.flush();
          }
          throw new IllegalStateException("zebra");
        };
    return Response.ok(output, "text/event-stream").header("of-the-stream", "1").build();
  }

  /** Stands where Jersey does. */
  private static final class Next extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) {
      response.setStatus(299);
    }
  }

  @Test
  void anAnswerHasItsHeadersAndThoseOfAdmission() throws Exception {
    HttpResponse<String> answer = post("/v1/whole");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{}");
    assertThat(answer.headers().allValues("a")).containsExactly("1", "2");
    assertThat(answer.headers().allValues("left")).containsExactly("7");
  }

  @Test
  void aRefusedRequestIsAnsweredWithTheError() throws Exception {
    HttpResponse<String> answer = send(request("/v1/whole").header("refuse", "yes"));
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).startsWith("{\"error\":{");
    assertThat(answer.headers().allValues("left")).containsExactly("7");
  }

  @Test
  void aDefectIsAnsweredWith500() throws Exception {
    HttpResponse<String> answer = post("/v1/defect");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).startsWith("{\"error\":{").doesNotContain("zebra");
    assertThat(answer.headers().allValues("left")).containsExactly("7");
  }

  @Test
  void anAnswerThatBreaksBeforeItIsSentIsAnErrorAlone() throws Exception {
    HttpResponse<String> answer = post("/v1/breaks");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).startsWith("{\"error\":{").doesNotContain(HALF).endsWith("}");
    assertThat(answer.headers().firstValue("of-the-stream")).isEmpty();
    assertThat(answer.headers().firstValue("content-type")).hasValue("application/json");
  }

  @Test
  void anAnswerThatBreaksLaterIsCutOff() {
    assertThatThrownBy(() -> post("/v1/breaks-later")).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST|/v1/whole|application/json|application/json|200",
        "POST|/v1/whole|application/json; charset=utf-8|text/plain, */*|200",
        "POST|/v1/whole|APPLICATION/JSON|text/event-stream|200",
        "POST|/v1/whole|application/json|*/*;q=1|299",
        "POST|/v1/whole|application/json|application/jsonl|299",
        "POST|/v1/whole|application/json|text/plain|299",
        "POST|/v1/whole|application/jsonl|*/*|299",
        "POST|/v1/whole|text/plain|*/*|299",
        "POST|/v1/whole/|application/json|*/*|299",
        "POST|/v1/whol%65|application/json|*/*|299",
        "POST|/v1/other|application/json|*/*|299",
        "GET|/v1/whole|application/json|*/*|299",
        "HEAD|/v1/whole|application/json|*/*|299",
      })
  void whatIsUnusualGoesOn(String method, String path, String type, String accept, int status)
      throws Exception {
    HttpResponse<String> answer =
        send(
            HttpRequest.newBuilder(uri(path))
                .header("Content-Type", type)
                .header("Accept", accept)
                .method(method, BodyPublishers.ofString("{}")));
    assertThat(answer.statusCode()).isEqualTo(status);
  }

  private static HttpResponse<String> post(String path) throws Exception {
    return send(request(path));
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(uri(path))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString("{}"));
  }

  private static URI uri(String path) {
    int port = ((ServerConnector) SERVER.getConnectors()[0]).getLocalPort();
    return URI.create("http://localhost:" + port + path);
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }
}
