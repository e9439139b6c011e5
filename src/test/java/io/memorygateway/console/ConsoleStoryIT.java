package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.Browser;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestBrowser;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §12 as an operator meets it: in a browser, on the real server and database. */
@Tag("heavy")
class ConsoleStoryIT {
  @RegisterExtension static final TestBrowser BROWSER = new TestBrowser();
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> ConsoleCalls.route(config, UPSTREAM));

  private static final ConsoleCalls CALLS = new ConsoleCalls(GATEWAY);

  private static Browser browser;

  @BeforeAll
  static void window() throws Exception {
    browser = BROWSER.get();
    browser.show(1440, 900, false);
  }

  @BeforeEach
  void atTheStart() throws Exception {
    browser.open("about:blank");
    browser.complaints();
  }

  @Test
  void aKeyIsIssuedAndItsCallAppearsWhileSomebodyLooks() throws Exception {
    String key = issue("story", "till");
    page("#/requests?project=story");
    browser.awaitText("No call fits");

    CALLS.chat(key, "gpt-5-mini", "hello", null);

    // Nobody loads the page again.
    browser.awaitText("gpt-5-mini");
    browser.awaitText("till");
    assertThat(browser.text()).contains("200").doesNotContain(key);
    browser.run("document.querySelector('main tbody a').click()");
    browser.awaitText("Request id");
    browser.awaitText("Attempts");
    browser.awaitText("none: no thread was named");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void aThreadIsOpenedSearchedAndDeleted() throws Exception {
    String key = issue("library", "reader");
    for (String said :
        new String[] {"My zebra is called Ophelia.", "She eats hay.", "What is she called?"}) {
      CALLS.chat(key, "gpt-5-mini", said, "stable");
    }
    page("#/threads?project=library");
    browser.awaitText("user-7");
    browser.clickFirst("stable");
    browser.awaitText("My zebra is called Ophelia.");
    browser.awaitText("6 messages, 1 to 6");

    browser.enter("Search in this thread", "zebra");
    browser.awaitText("the best first");
    assertThat(browser.run("return document.querySelector('.said mark').textContent").asText())
        .isEqualTo("zebra");
    browser.click("stable");
    browser.awaitText("6 messages");
    assertThat(browser.run("return document.querySelectorAll('.message.marked').length").asInt())
        .isEqualTo(1);

    browser.click("Delete");
    browser.awaitText("for good");
    assertThat(browser.run("return document.querySelector('dialog [type=submit]').disabled"))
        .as("nothing is deleted by one click")
        .hasToString("true");
    browser.fill("Type delete to go on", "delete");
    browser.click("Delete");
    browser.awaitText("No threads");
    page("#/threads/library/stable");
    browser.awaitText("There is no such thread.");
    audited("thread-delete");
  }

  @Test
  void whatWasObservedIsShownWithWhatEachRevisionChanged() throws Exception {
    String key = issue("zoo", "keeper");
    CALLS.observed(key, "herd");

    page("#/threads/zoo/herd");
    browser.click("Observations");
    browser.awaitText("Not observed yet");
    browser.awaitText("What this one changed in the one before");
    assertThat(browser.run("return document.querySelectorAll('.diff .removed').length").asInt())
        .isPositive();
    assertThat(browser.run("return document.querySelector('.diff').innerText").asText())
        .contains("zebra");
  }

  @Test
  void aLoweredLimitExplainsWhyCallsAreRefused() throws Exception {
    String key = issue("limited", "eager");
    page("#/keys?project=limited");
    browser.clickFirst("eager");
    browser.click("Change the limit of llm_burst");
    browser.fill("Requests in 10 s", "2");
    browser.click("Save");
    browser.awaitText("own limit");
    // The node that changed it knows at once.
    int refused = 0;
    for (int i = 0; i < 6; i++) {
      refused += CALLS.chat(key, "gpt-5-mini", "hello", null).statusCode() == 429 ? 1 : 0;
    }
    assertThat(refused).isPositive();

    browser.awaitText("The newest refusal: llm_burst allows 2 requests in 10 s");
    page("#/limits");
    browser.choose("Key", "eager · limited");
    browser.awaitText("The newest refusal: llm_burst allows 2 requests in 10 s");
    browser.awaitText("of 2");
    page("#/");
    browser.awaitText("Refused by limits");
    browser.awaitText("llm_burst");
    audited("key-limits");
  }

  @Test
  void aKeyIsScopedAndDoesNoMore() throws Exception {
    String key = issue("scoped", "narrow");
    page("#/keys?project=scoped");
    browser.clickFirst("narrow");
    browser.click("Change scopes");
    browser.fill("Models", "openai/gpt-5-mini, fast");
    browser.choose("Memory", "read only, no turns");
    browser.choose("Valid for, from now on", "7 days");
    browser.click("Save");
    browser.awaitText("openai/gpt-5-mini, fast");
    browser.awaitText("read only, no turns");
    // The node that changed it knows at once.
    assertThat(CALLS.chat(key, "gpt-5-mini", "hello", null).statusCode()).isEqualTo(200);
    assertThat(CALLS.chat(key, "gpt-5.1", "hello", null).statusCode()).isEqualTo(403);
    assertThat(CALLS.chat(key, "gpt-5-mini", "hello", "t").statusCode()).isEqualTo(403);

    browser.click("Change scopes");
    browser.fill("Models", "openai/*");
    browser.click("Save");
    browser.awaitText("openai/*");
    assertThat(CALLS.chat(key, "gpt-5.1", "hello", null).statusCode()).isEqualTo(200);
    assertThat(CALLS.chat(key, "gpt-5.1", "hello", "t").statusCode()).isEqualTo(403);
    audited("key-scope");
  }

  @Test
  void aCircuitThatAFailingProviderOpenedIsSeenAndClosed() throws Exception {
    String key = issue("routed", "caller");
    page("#/providers");
    browser.awaitText("near");
    UPSTREAM.answer(
        request ->
            request.path().startsWith("/near")
                ? Answer.error(500, "server_error", "it is down")
                : CannedReplies.answer(request));
    for (int i = 0; i < 4; i++) {
      assertThat(CALLS.chat(key, "fast", "hello", null).statusCode()).isEqualTo(200);
    }
    // A call is let through to try it in time, and opens it again.
    Awaitility.await("the open circuit")
        .pollInterval(Duration.ofSeconds(1))
        .until(
            () -> {
              CALLS.chat(key, "fast", "hello", null);
              return browser.text().contains("1 circuit open");
            });
    browser.click("Close the circuit of near/small");
    browser.awaitNoText("1 circuit open");
    browser.click("Open the circuit of near/small");
    browser.awaitText("1 circuit open");
    browser.click("Close the circuit of near/small");
    browser.awaitNoText("1 circuit open");

    browser.click("Test call to near");
    browser.fill("Model", "small");
    browser.click("Call");
    browser.awaitText("It does not answer");
    UPSTREAM.reset();
    browser.click("Call");
    browser.awaitText("It answers");
    browser.click("Close");

    page("#/requests?project=routed");
    browser.awaitText("×2");
    browser.run(
        "[...document.querySelectorAll('main tbody tr')].find(r => r.innerText.includes('×2')).querySelector('a').click()");
    browser.awaitText("went on to the next");
    audited("circuit");
  }

  @Test
  void whatIsTypedForATestCallStaysWhenTheModelsArrive() throws Exception {
    page("#/providers");
    browser.awaitText("near");
    browser.run(
        """
        const real = window.fetch;
        window.fetch = (url, how) => String(url).includes('/usage')
            ? new Promise((done) => {
                window.answer = (rows) => done(new Response(JSON.stringify({ rows }), { headers: { 'Content-Type': 'application/json' } }));
              })
            : real(url, how);
        """);

    browser.click("Test call to near");
    assertThat(modelOnceThereIs("asked", "[{model: 'asked', calls: 9}]")).isEqualTo("asked");
    browser.click("Close");
    browser.click("Test call to near");
    browser.fill("Model", "typed");
    assertThat(modelOnceThereIs("asked", "[{model: 'asked', calls: 9}]")).isEqualTo("typed");
  }

  /** The field's text when the usage was answered and a model is both proposed and drawn. */
  private static String modelOnceThereIs(String proposed, String usage) throws Exception {
    return browser
        .evaluate(
            """
            new Promise((done) => {
              const field = document.querySelector('dialog input[name=model]');
              const look = () => {
                window.answer?.(USAGE);
                delete window.answer;
                const there = [...document.querySelectorAll('dialog option')].some((option) => option.value === 'PROPOSED');
                if (there && field.value) done(field.value);
                else requestAnimationFrame(look);
              };
              look();
            })
            """
                .replace("PROPOSED", proposed)
                .replace("USAGE", usage))
        .asText();
  }

  @Test
  void aKeyIsRotatedAndRevoked() throws Exception {
    String first = issue("ended", "leaver");
    page("#/keys?project=ended");
    browser.clickFirst("leaver");
    browser.click("Rotate");
    browser.awaitText("The present one is refused");
    browser.click("Rotate");
    browser.awaitText("I have stored it");
    String second =
        browser.run("return document.querySelector('dialog .secret input').value").asText();
    browser.click("I have stored it");
    assertThat(CALLS.chat(first, "gpt-5-mini", "hello", null).statusCode()).isEqualTo(401);
    assertThat(CALLS.chat(second, "gpt-5-mini", "hello", null).statusCode()).isEqualTo(200);

    browser.click("Revoke");
    browser.fill("Type leaver to go on", "leaver");
    browser.click("Revoke");
    browser.awaitText("revoked");
    assertThat(CALLS.chat(second, "gpt-5-mini", "hello", null).statusCode()).isEqualTo(401);
    browser.click("what was done to it");
    for (String action : new String[] {"key-issue", "key-rotate", "key-revoke"}) {
      browser.awaitText(action);
    }
    assertThat(browser.text()).doesNotContain("key-limits");
    browser.click("Verify the chain");
    browser.awaitText("unbroken");
    assertThat(browser.run("return document.documentElement.outerHTML").asText())
        .doesNotContain(first)
        .doesNotContain(second);
  }

  private static void audited(String action) throws Exception {
    page("#/audit?action=" + action);
    browser.awaitText("anybody");
    browser.clickFirst("Show more of row");
    browser.awaitText("Request id");
    assertThat(browser.text()).contains(action);
  }

  private static void page(String hash) throws Exception {
    browser.open(GATEWAY.adminUrl() + "/" + hash);
  }

  /** Issues a key as an operator does, and gives the secret that the page shows. */
  private static String issue(String project, String name) throws Exception {
    page("#/keys");
    browser.click("Issue a key");
    // The page has a field of that name as well.
    browser.awaitText("A new one is made if there is none");
    browser.fill("Project", project);
    browser.fill("Name", name);
    browser.click("Issue");
    browser.awaitText("I have stored it");
    String secret =
        browser.run("return document.querySelector('dialog .secret input').value").asText();
    assertThat(secret).matches("msk_[0-9a-f]{32}");
    browser.click("I have stored it");
    browser.awaitText(name);
    assertThat(browser.run("return document.documentElement.outerHTML").asText())
        .doesNotContain(secret);
    return secret;
  }
}
