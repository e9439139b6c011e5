package io.memorygateway.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.SharedGateway;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §9: a running gateway shows its OpenAPI document as a page, to everybody, offline. */
class DocsIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private static final Pattern LOADED = Pattern.compile("(?:src|href)=\"([^\"#]+)\"");

  @ParameterizedTest
  @CsvSource({
    "/docs, text/html",
    "/docs/page.js, text/javascript",
    "/docs/page.css, text/css",
  })
  void everyFileIsServedWithoutAKeyUnderAStrictPolicy(String path, String type) throws Exception {
    HttpResponse<String> answer = get(path, "text/html,application/xml;q=0.9,*/*;q=0.8");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).get().asString().startsWith(type);
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(answer.headers().firstValue("Content-Security-Policy"))
        .get()
        .asString()
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe", "http:", "https:", "*");
    assertThat(answer.headers().firstValue("X-RateLimit-Scope")).isPresent();
    assertThat(answer.headers().firstValue("X-Request-Id")).isPresent();
  }

  /** As the policy demands: otherwise a browser shows less than was written. */
  @Test
  void thePageLoadsItsOwnFilesOnlyAndHoldsNoScriptOrStyleItself() throws Exception {
    String page = get("/docs", "*/*").body();
    String script = get("/docs/page.js", "*/*").body();

    List<String> loaded =
        LOADED.matcher(page).results().map((MatchResult found) -> found.group(1)).toList();
    assertThat(loaded).contains("docs/page.js", "docs/page.css", "openapi.json");
    for (String path : loaded) {
      assertThat(get("/" + path, "*/*").statusCode()).as(path).isEqualTo(200);
    }
    assertThat(page).doesNotContain("<style", "style=", "onclick", "onload");
    assertThat(page).doesNotContainPattern("<script(?![^>]*\\ssrc=)");
    assertThat(script).contains("fetch('openapi.json')");
    assertThat(script).doesNotContain("innerHTML", "eval(", "http://", "https://");
  }

  /** An answer that is compressed as it is sent has no length: nobody knows it before. */
  @ParameterizedTest
  @ValueSource(strings = {"/openapi.json", "/docs", "/docs/page.js", "/docs/page.css"})
  void whatNeedsNoKeyIsNotCompressedForEachRequest(String path) throws Exception {
    HttpResponse<byte[]> plain = getCoded(path, "gzip;q=0, br");
    HttpResponse<byte[]> zipped = getCoded(path, "br, gzip");

    assertThat(plain.headers().firstValue("Content-Encoding")).isEmpty();
    assertThat(zipped.headers().allValues("Content-Encoding")).containsExactly("gzip");
    for (HttpResponse<byte[]> answer : List.of(plain, zipped)) {
      assertThat(answer.headers().allValues("Content-Length"))
          .containsExactly(Integer.toString(answer.body().length));
      assertThat(answer.headers().allValues("Vary")).containsExactly("Accept-Encoding");
    }
    assertThat(new GZIPInputStream(new ByteArrayInputStream(zipped.body())).readAllBytes())
        .isEqualTo(plain.body());
  }

  @Test
  void whatIsBesideThePageNeedsAKey() throws Exception {
    assertThat(get("/docs/other.js", "*/*").statusCode()).isEqualTo(401);
    assertThat(get("/docs/../v1/models", "*/*").statusCode()).isEqualTo(401);
  }

  private static HttpResponse<byte[]> getCoded(String path, String codings) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(GATEWAY.url() + path))
                .header("Accept-Encoding", codings)
                .build(),
            BodyHandlers.ofByteArray());
  }

  private static HttpResponse<String> get(String path, String accept) throws Exception {
    return GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + path)).header("Accept", accept));
  }
}
