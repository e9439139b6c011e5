package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.SharedGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §12: the console at the root of the admin port, beside what was there before. */
class ConsoleServletIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  @ParameterizedTest
  @CsvSource({
    "/,index.html,text/html",
    "/console/app.js,app.js,text/javascript",
    "/console/pages/keys.js,pages/keys.js,text/javascript",
    "/console/style.css,style.css,text/css",
    "/console/icon.svg,icon.svg,image/svg+xml",
    "/console/vendor/uplot.js,vendor/uplot.js,text/javascript",
    "/console/vendor/vendor.json,vendor/vendor.json,application/json",
    "/console/vendor/LICENSE-htm.txt,vendor/LICENSE-htm.txt,text/plain",
  })
  void aFileIsServedAsItIsAndAskedForAgainByItsTag(String path, String file, String type)
      throws Exception {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(header(answer, "Content-Type")).startsWith(type);
    assertThat(answer.body())
        .isEqualTo(Files.readString(Path.of("src/main/resources/console", file)));
    assertThat(header(answer, "Cache-Control")).isEqualTo("no-cache");
    HttpResponse<String> again =
        GATEWAY.send(request(path).header("If-None-Match", header(answer, "ETag")));
    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
    String tag = header(answer, "ETag");
    for (String given : List.of("W/" + tag, "\"x\", " + tag, "*")) {
      assertThat(GATEWAY.send(request(path).header("If-None-Match", given)).statusCode())
          .as(given)
          .isEqualTo(304);
    }
    assertThat(GATEWAY.send(request(path).header("If-None-Match", "\"x\"")).statusCode())
        .isEqualTo(200);
    HttpResponse<String> packed = GATEWAY.send(request(path).header("Accept-Encoding", "gzip"));
    // Of what is compressed for each request, nobody knows the length before.
    assertThat(header(packed, "Content-Encoding")).isEqualTo("gzip");
    assertThat(header(packed, "Content-Length")).isNotEmpty();
    assertThat(packed.headers().allValues("Vary")).containsExactly("Accept-Encoding");
    HttpResponse<String> packedAgain =
        GATEWAY.send(
            request(path)
                .header("Accept-Encoding", "gzip")
                .header("If-None-Match", header(packed, "ETag")));
    assertThat(packedAgain.statusCode()).isEqualTo(304);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/console/app.js", "/admin/api/me", "/metrics", "/console/zebra.js"})
  void aBrowserIsToldToLoadNothingFromElsewhereAndToShowItInNoFrame(String path) throws Exception {
    HttpResponse<String> answer = get(path);
    assertThat(header(answer, "Content-Security-Policy"))
        .contains("default-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(header(answer, "X-Frame-Options")).isEqualTo("DENY");
    assertThat(header(answer, "Referrer-Policy")).isEqualTo("no-referrer");
  }

  @Test
  void whatTheApiSaysIsNotKept() throws Exception {
    assertThat(header(get("/admin/api/keys"), "Cache-Control")).isEqualTo("no-store");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console/",
        "/console/zebra.js",
        "/console/vendor/",
        "/console/vendor",
        "/console/.x.js",
        "/console/Console.class",
        "/console/vendor/.hidden.js",
        "/console/a/b/c/d.js",
        "/consoles",
        "/console/app.js/",
        "/index.html",
        "/zebra",
      })
  void anotherPathIsNotFound(String path) throws Exception {
    ErrorEnvelope.check(get(path), 404, "not_found");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/console/app.js"})
  void aFileIsOnlyRead(String path) throws Exception {
    HttpResponse<String> answer = GATEWAY.send(request(path).POST(BodyPublishers.ofString("a=b")));
    ErrorEnvelope.check(answer, 405, "invalid_request_error");
    assertThat(header(answer, "Allow")).contains("GET");
    HttpResponse<String> head = GATEWAY.send(request(path).method("HEAD", BodyPublishers.noBody()));
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/healthcheck", "/metrics", "/ping", "/threads", "/admin/api/me"})
  void whatWasThereStays(String path) throws Exception {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).doesNotContain("<!doctype html>");
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + path));
  }

  private static HttpResponse<String> get(String path) throws Exception {
    return GATEWAY.send(request(path));
  }

  private static String header(HttpResponse<String> answer, String name) {
    return answer.headers().firstValue(name).orElse("");
  }
}
