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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §12: what the console shows while something of it cannot be read. */
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

  /** A proxy answers so once its session has ended. */
  @ParameterizedTest
  @ValueSource(ints = {403, 404})
  void aDialogueStaysOpenWhenItsPageIsRefused(int status) throws Exception {
    Browser browser = BROWSER.get();
    browser.show(1440, 900, false);
    browser.open("about:blank");
    browser.open(gateway.adminUrl() + "/#/keys");
    browser.awaitLoaded();
    String id =
        browser.evaluate("fetch('admin/api/keys').then(a => a.json())").at("/keys/0/id").asText();
    browser.run("location.hash = arguments[0]", "#/keys/" + id);
    browser.awaitText("Begins with");
    browser.click("Change scopes");
    browser.fill("Models", "vllm/*");
    browser.evaluate(
        "{const real = fetch; fetch = (url, rest) => /limits/.test(url)"
            + " ? Promise.resolve(new Response('{}', {status: "
            + status
            + "})) : real(url, rest)}");

    browser.awaitText("Could not be read again: The answer was " + status);
    assertThat(
            browser.evaluate("document.querySelector('dialog input[name=models]').value").asText())
        .isEqualTo("vllm/*");
    assertThat(browser.text()).contains("Begins with").doesNotContain("cannot be shown");
  }

  @ParameterizedTest
  @CsvSource({
    "#/threads/default, There is no such page",
    "#/__proto__, There is no such page",
    "#/constructor, There is no such page",
    "#/audit?from=zzz, Verify the chain"
  })
  void anyAddressIsAPageOrNone(String hash, String shows) throws Exception {
    Browser browser = BROWSER.get();
    browser.show(1440, 900, false);
    browser.open("about:blank");
    browser.open(gateway.adminUrl() + "/" + hash);
    browser.awaitText(shows);
    browser.awaitLoaded();
    assertThat(browser.text()).doesNotContain("cannot be shown");
  }
}
