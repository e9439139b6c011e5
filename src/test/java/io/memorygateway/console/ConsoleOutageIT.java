package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Browser;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestBrowser;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §12: while the database is away, the console shows what the node knows by itself. */
@Tag("heavy")
class ConsoleOutageIT {
  @RegisterExtension static final TestBrowser BROWSER = new TestBrowser();
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private static DatabaseRelay relay;
  private static TestGateway gateway;

  @BeforeAll
  static void start() throws Exception {
    relay = DatabaseRelay.to(DATABASE.port());
    gateway = new TestGateway(DATABASE, UPSTREAM).with("DATABASE_URL", DATABASE.url(relay));
    gateway.start();
  }

  @AfterAll
  static void stop() throws Exception {
    gateway.stop();
    relay.close();
  }

  @Test
  void healthProvidersAndRulesAreThereAndTheRestSaysWhy() throws Exception {
    Browser browser = BROWSER.get();
    browser.show(1440, 900, false);
    browser.open("about:blank");
    browser.open(gateway.adminUrl() + "/#/");
    browser.awaitText("Who uses it");
    relay.cut();

    browser.awaitText("Something is wrong");
    browser.open("about:blank");
    browser.open(gateway.adminUrl() + "/#/");
    browser.awaitText("Something is wrong");
    browser.awaitText("Calls, tokens and refusals cannot be read: ");
    assertThat(browser.text()).contains("database");
    browser.click("Providers");
    browser.awaitText("The last hour cannot be read");
    assertThat(browser.text()).contains("openai", "anthropic");
    browser.click("Limits");
    browser.awaitText("llm_burst");

    relay.restore(DATABASE.port());
    browser.click("Overview");
    browser.awaitText("All is well");
    browser.awaitText("Who uses it");
  }
}
