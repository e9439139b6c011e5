package io.memorygateway.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §10: the fault table holds, cell by cell. */
@Tag("heavy")
class ProviderFaultsIT {
  private static final long SLOW_MILLIS = 300;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config ->
                  FaultTable.configure(
                      config, UPSTREAM.url(), FakeUpstream.closedPort(), SLOW_MILLIS));

  @Test
  void everyCellIsAsExpected() throws Exception {
    UPSTREAM.answer(FaultyProvider.script(SLOW_MILLIS));
    ByteArrayOutputStream printed = new ByteArrayOutputStream();

    var deviations =
        new FaultTable(GATEWAY.url(), GATEWAY.adminUrl(), GATEWAY.key())
            .run(new PrintStream(printed, true, StandardCharsets.UTF_8));

    assertThat(deviations).as(printed.toString(StandardCharsets.UTF_8)).isEmpty();
  }
}
