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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The reference for operators explains what the gateway shows. */
class RunbookIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

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
}
