package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The reference for operators explains what the gateway shows. */
class RunbookIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config ->
                  config
                      .withObject("/search")
                      .put("embeddingModel", "openai/text-embedding-3-small"));

  private static final String TYPE = "# TYPE ";

  @Test
  void everyMetricOfOursIsExplained() throws Exception {
    String scrape =
        GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics"))).body();
    List<String> names =
        scrape
            .lines()
            .filter(line -> line.startsWith(TYPE + "memory_gateway_"))
            .map(line -> line.substring(TYPE.length(), line.lastIndexOf(' ')))
            .toList();
    String reference = Files.readString(Path.of("ops/reference.md"));

    assertThat(names).hasSizeGreaterThan(15);
    assertThat(names).allSatisfy(name -> assertThat(reference).contains("`" + name));
  }

  /** A counter that appears with its first count has not increased, to Prometheus. */
  @Test
  void whatAlertsWatchIsThereBeforeItHappens() throws Exception {
    Set<String> scraped =
        GATEWAY
            .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics")))
            .body()
            .lines()
            .map(line -> line.split("[ {]", 2)[0])
            .collect(Collectors.toSet());
    // The labels of requests, of models' failures and of budgets come with the first one, and
    // a certificate's with a port that speaks TLS.
    Set<String> watched =
        Pattern.compile(
                "\\bmemory_gateway_"
                    + "(?!http_|llm_|observer_model_|budget_thresholds_|certificate_)[a-z_]+")
            .matcher(Files.readString(Path.of("ops/prometheus/alerts.yml")))
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toSet());

    assertThat(watched).hasSizeGreaterThan(15);
    assertThat(scraped).containsAll(watched);
  }
}
