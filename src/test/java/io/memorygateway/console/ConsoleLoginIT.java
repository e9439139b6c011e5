package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Browser;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.ManyRows;
import io.memorygateway.testing.TestBrowser;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Contract §12: the console asks for a token, keeps it in its tab, and knows what a role may do.
 */
@Tag("heavy")
class ConsoleLoginIT {
  @RegisterExtension static final TestBrowser BROWSER = new TestBrowser();
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM).withoutKey().configured(AdminClient::takeTokens);

  private static Browser browser;

  @BeforeAll
  static void window() throws Exception {
    browser = BROWSER.get();
    browser.show(1440, 900, false);
    AdminClient owner = AdminClient.of(GATEWAY, DATABASE, "owner");
    owner.post("/keys", "{\"project\":\"shop\",\"name\":\"till\"}");
  }

  @Test
  void aTokenIsAskedForOnceAndForgottenAtTheEnd() throws Exception {
    String token = AdminClient.token(DATABASE, "operator");
    open("#/keys");
    browser.awaitText("Admin token");
    assertThat(browser.text()).doesNotContain("till");
    browser.evaluate(Files.readString(Path.of("src/test/resources/axe/axe.min.js")));
    assertThat(browser.evaluate("axe.run(document).then(found => found.violations)")).isEmpty();

    browser.enter("Admin token", "msa_0123…");
    browser.awaitText("This token is unknown, revoked or expired.");
    browser.enter("Admin token", "msa_" + "0".repeat(32));
    browser.awaitText("This token is unknown, revoked or expired.");
    browser.enter("Admin token", token);
    // The link that was asked for is where it goes on.
    browser.awaitText("till");
    browser.awaitText("operator");
    assertThat(browser.run("return document.cookie").asText()).isEmpty();
    assertThat(browser.run("return localStorage.length").asInt()).isZero();
    assertThat(browser.run("return document.documentElement.outerHTML").asText())
        .doesNotContain(token);
    assertThat(browser.run("return location.href").asText()).doesNotContain("msa_");

    open("#/requests");
    browser.awaitText("No calls in this time");
    browser.click("Log out");
    browser.awaitText("Admin token");
    open("#/requests");
    browser.awaitText("Admin token");
  }

  @Test
  void aTokenThatIsNoLongerGoodIsAskedForAnewWithAWord() throws Exception {
    open("#/keys");
    browser.enter("Admin token", AdminClient.token(DATABASE, "viewer"));
    browser.awaitText("till");
    browser.run(
        "sessionStorage.setItem('memory-gateway-admin-token', 'msa_"
            + "0".repeat(32)
            + "');"
            + "location.hash = '#/audit';");
    browser.awaitText("This token is unknown, revoked or expired.");
    browser.awaitTitle("Log in · Memory Gateway");
  }

  @Test
  void aRoleThatIsTooLowSeesWhatItMayNotDo() throws Exception {
    open("#/keys");
    browser.enter("Admin token", AdminClient.token(DATABASE, "viewer"));
    browser.awaitText("till");
    assertThat(
            browser
                .run(
                    "const b = [...document.querySelectorAll('button')]"
                        + ".find(b => b.innerText === 'Issue a key');"
                        + "return b.disabled + ' ' + b.title;")
                .asText())
        .isEqualTo("true This needs the role owner.");
    browser.click("Log out");
    browser.awaitText("Admin token");
  }

  @Test
  void ofVeryManyKeysTheFirstAreShown() throws Exception {
    DATABASE.jdbi().useHandle(ConsoleLoginIT::addKeys);
    browser.show(1440, 900, false);
    open("#/keys");
    browser.enter("Admin token", AdminClient.token(DATABASE, "viewer"));
    browser.awaitText("500 of 2,001 rows");
    assertThat(rows()).isEqualTo(500);
    browser.click("Show more");
    browser.awaitText("1,000 of 2,001 rows");
    assertThat(rows()).isEqualTo(1000);
    browser.click("Log out");
    browser.awaitText("Admin token");
  }

  private static int rows() throws Exception {
    return browser.run("return document.querySelectorAll('tbody tr').length").asInt();
  }

  private static void addKeys(Handle handle) {
    Map<String, Object> last =
        handle
            .createQuery("SELECT id, project_id FROM api_keys ORDER BY id DESC LIMIT 1")
            .mapToMap()
            .one();
    ManyRows.insert(
        handle,
        "api_keys (id, public_id, project_id, name, prefix, secret_hash, created_at)",
        last.get("id")
            + " + 1 + n, UUID(), "
            + last.get("project_id")
            + ", CONCAT('many ', n), 'msk_0000', UNHEX(SHA2(n, 256)), NOW(3)",
        2000);
  }

  /** As in a bookmark of who logs in with a password. */
  @Test
  void theAddressMayHaveANameAndAPassword() throws Exception {
    browser.open("about:blank");
    browser.open(GATEWAY.adminUrl().replace("://", "://ada:secret@") + "/#/keys");
    browser.awaitText("Admin token");
  }

  private static void open(String hash) throws Exception {
    browser.open("about:blank");
    browser.open(GATEWAY.adminUrl() + "/" + hash);
  }
}
