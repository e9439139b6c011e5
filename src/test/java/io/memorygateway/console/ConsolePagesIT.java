package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.operator.CsvText;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.Browser;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestBrowser;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Contract §12: each page on a phone and on a desk, light and dark, by keyboard and when it fails.
 */
@Tag("heavy")
class ConsolePagesIT {
  @RegisterExtension static final TestBrowser BROWSER = new TestBrowser();
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> ConsoleCalls.route(config, UPSTREAM));

  /** Folder for pictures of the pages, for the documentation; none are taken without it. */
  private static final String PICTURES = System.getProperty("console.pictures", "");

  /** What the documentation shows. */
  private static final Set<String> PICTURED =
      Set.of(
          "overview-1440",
          "requests-1440",
          "key-1440",
          "observations-1440",
          "providers-1440",
          "audit-1440",
          "overview-390",
          "requests-390");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ConsoleCalls CALLS = new ConsoleCalls(GATEWAY);
  private static final String AXE = axe("");
  private static final String CONTRAST = axe("runOnly: ['color-contrast'], ");

  private static Browser browser;
  private static String axe;

  /** Page with what is on it once it has its data. */
  record Page(String name, String hash, String shows) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static List<Page> pages = List.of();

  @BeforeAll
  static void data() throws Exception {
    browser = BROWSER.get();
    axe = Files.readString(Path.of("src/test/resources/axe/axe.min.js"));
    String till = GATEWAY.issueKey("shop");
    String agent = GATEWAY.issueKey("support");
    CALLS.observed(agent, "zebras");
    UPSTREAM.answer(
        request ->
            request.path().startsWith("/near")
                ? Answer.error(500, "server_error", "it is down")
                : CannedReplies.answer(request));
    for (int i = 0; i < 24; i++) {
      String key = i % 3 == 0 ? till : i % 3 == 1 ? agent : GATEWAY.key();
      String model = i % 6 == 0 ? "fast" : i % 2 == 0 ? "gpt-5-mini" : "gpt-5.1";
      CALLS.chat(key, model, "A flat in Lisbon, number " + i, "thread-" + i / 8);
    }
    UPSTREAM.answerAlways(Answer.error(503, "server_error", "it is down"));
    CALLS.chat(till, "gpt-5-mini", "and a cat", "thread-1");
    String id = admin("GET", "keys?project=shop", null).path("keys").get(0).path("id").asText();
    String budget = "{\"unit\":\"usd\",\"limit\":20,\"window\":\"month\",\"unpriced\":\"allow\"}";
    admin("PUT", "budgets/keys/" + id + "/own", budget);
    admin("PUT", "budgets/projects/shop/monthly", budget);
    CALLS.chat(till, "gpt-5-mini", "what the budgets hold", "thread-2");
    admin("PUT", "keys/" + id + "/limits/llm_burst", "{\"limit\":1}");
    for (int i = 0; i < 4; i++) {
      CALLS.chat(till, "gpt-5-mini", "again", "thread-2");
    }
    JsonNode routed = CALLS.awaitRequests(new AdminClient(GATEWAY, ""), "model=large");
    JsonNode request = routed.get(routed.size() - 1);
    pages =
        List.of(
            new Page("overview", "#/", "Who uses it"),
            new Page("requests", "#/requests", "gpt-5.1"),
            new Page("request", "#/requests/" + request.path("id").asText(), "Attempts"),
            new Page("usage", "#/usage", "Budgets that are fullest"),
            new Page("keys", "#/keys", "active"),
            new Page("key", "#/keys/" + id, "own limit"),
            new Page("project", "#/project/shop", "monthly"),
            new Page("threads", "#/threads?project=test&resourceId=user-7", "3 threads"),
            new Page("thread", "#/threads/test/thread-1", "A flat in Lisbon"),
            new Page("observations", "#/threads/support/zebras?view=observations", "revisions."),
            new Page("search", "#/search?project=test&resourceId=user-7&q=Lisbon", "best first"),
            new Page("providers", "#/providers", "far"),
            new Page("limits", "#/limits?key=" + id, "The newest refusal"),
            new Page("audit", "#/audit", "key-limits"),
            new Page("nowhere", "#/zebra", "There is no such page"));
  }

  /** What the test before made the browser complain of is not this one's. */
  @BeforeEach
  void atTheStart() throws Exception {
    browser.open("about:blank");
    browser.complaints();
  }

  static List<Page> pages() {
    return pages;
  }

  /**
   * In both widths and both themes. What a rule other than that of contrast finds does not depend
   * on the theme, so all of them are looked at once a width, each time in another theme.
   */
  @ParameterizedTest(name = "{0}")
  @MethodSource("pages")
  void everyPageFitsAndIsAccessible(Page page) throws Exception {
    List<String> faults = new ArrayList<>();
    for (int width : new int[] {1440, 390}) {
      boolean narrow = width == 390;
      show(width, narrow);
      open(page.hash());
      browser.awaitText(page.shows());
      browser.awaitLoaded();
      if (browser.run("return document.documentElement.scrollWidth > innerWidth").asBoolean()) {
        faults.add("wider than the window of " + width);
      }
      if (browser.run("return document.querySelectorAll('h1').length").asInt() != 1) {
        faults.add("has not one heading");
      }
      browser.evaluate(axe);
      violations(AXE, faults);
      String picture = page.name() + "-" + width;
      if (!PICTURES.isEmpty() && PICTURED.contains(picture)) {
        browser.screenshot(Path.of(PICTURES, picture + ".png"));
      }
      show(width, !narrow);
      violations(CONTRAST, faults);
      faults.addAll(browser.complaints());
    }
    assertThat(faults).isEmpty();
  }

  private static void show(int width, boolean dark) throws Exception {
    browser.show(width, width == 390 ? 844 : 900, dark);
  }

  private static void violations(String check, List<String> faults) throws Exception {
    browser.evaluate(check).forEach(violation -> faults.add(violation.asText()));
  }

  @Test
  void thePolicyOfThePageStopsScriptsThatAreNotItsOwn() throws Exception {
    browser.show(1440, 900, false);
    open("#/");
    browser.awaitText("Who uses it");
    browser.run(
        "const s = document.createElement('script'); s.textContent = 'window.injected = 1';"
            + "document.body.append(s);"
            + "const i = document.createElement('img');"
            + "i.setAttribute('onerror', 'window.injected = 1'); i.src = 'console/none.svg';"
            + "document.body.append(i);");
    assertThat(browser.run("return window.injected === undefined").asBoolean()).isTrue();
    assertThat(browser.complaints()).anyMatch(said -> said.contains("Content Security Policy"));
  }

  @Test
  void whatCallersWroteIsShownAsTheyWroteIt() throws Exception {
    String evil = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    CALLS.chat(GATEWAY.key(), "gpt-5-mini", evil, "thread-0");
    browser.show(1440, 900, false);
    GATEWAY.post(
        "/v1/memory/threads",
        JSON.createObjectNode()
            .put("id", "odd/%2F ü?#")
            .put("resourceId", evil)
            .put("title", evil)
            .toString());
    open("#/threads?project=test");
    browser.awaitText(evil);
    browser.clickFirst(evil);
    browser.awaitText("odd/%2F ü?#");
    browser.awaitText("No messages");
    assertThat(
            browser.run("return document.querySelectorAll('main img, main script').length").asInt())
        .isZero();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void aMessageOfAnySizeIsDrawnWithinBounds() throws Exception {
    ObjectNode body = JSON.createObjectNode();
    ObjectNode large = body.withArray("/messages").addObject().put("role", "user");
    for (int i = 0; i < 3000; i++) {
      large.withArray("/content").addObject().put("type", "text").put("text", "part " + i);
    }
    ObjectNode image = body.withArray("/messages").addObject().put("role", "user");
    image
        .withArray("/content")
        .addObject()
        .put("type", "image_url")
        .put("data", "A".repeat(2_000_000));
    CALLS.memory(GATEWAY.key(), "POST", "/threads", "{\"id\":\"large\",\"resourceId\":\"large\"}");
    CALLS.memory(GATEWAY.key(), "POST", "/threads/large/messages", body.toString());
    browser.show(1440, 900, false);
    open("#/threads/test/large");
    browser.awaitText("Show all 3,000 parts");
    assertThat(browser.run("return document.body.innerHTML.length").asInt()).isLessThan(100_000);
    browser.click("image_url");
    browser.awaitText("an export has all of them");
    assertThat(browser.run("return document.body.innerHTML.length").asInt()).isLessThan(200_000);
    browser.click("Show all 3,000 parts");
    browser.awaitText("part 2999");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void aPageThatCannotBeReadAgainSaysSoAndRecovers() throws Exception {
    browser.show(1440, 900, false);
    open("#/requests");
    browser.awaitText("gpt-5.1");
    browser.offline(true);
    browser.awaitText("Could not be read again: The gateway cannot be reached.");
    assertThat(browser.text()).contains("gpt-5.1", "Stale");
    browser.offline(false);
    browser.click("Try again");
    browser.awaitNoText("Could not be read again");
  }

  @Test
  void theLoginPageOfAProxyIsNoAnswer() throws Exception {
    browser.show(1440, 900, false);
    open("#/requests");
    browser.awaitText("gpt-5.1");
    browser.run(
        "window.own = window.fetch; window.fetch = async () => new Response('<html>', {headers:"
            + " {'Content-Type': 'text/html'}});");
    browser.awaitText("Could not be read again: The answer is none of the gateway's");
    browser.run("window.fetch = window.own");
    browser.click("Try again");
    browser.awaitNoText("Could not be read again");
  }

  @Test
  void whatIsBeingTypedStaysWhileThePageIsReadAgain() throws Exception {
    browser.show(1440, 900, false);
    open("#/requests");
    browser.awaitText("gpt-5.1");
    browser.fill("Model", "gpt-unfin");
    CALLS.chat(GATEWAY.key(), "gpt-4o-mini", "something new", null);
    browser.awaitText("gpt-4o-mini");
    assertThat(browser.run("return document.activeElement.value").asText()).isEqualTo("gpt-unfin");
  }

  @Test
  void aPageWithoutDataSaysWhy() throws Exception {
    browser.show(1440, 900, false);
    open("#/requests?range=1h&project=nobody");
    browser.awaitText("No call fits");
    open("#/requests/1-1");
    browser.awaitText("There is no such request.");
    open("#/requests?status=bad");
    browser.awaitText("status must be a status such as 429");
    browser.awaitText("Try again");
  }

  @Test
  void thePagesAreUsedByKeyboard() throws Exception {
    browser.show(1440, 900, false);
    open("#/");
    browser.awaitText("Who uses it");
    browser.press("\uE004");
    assertThat(focused()).isEqualTo("Skip to the content");
    browser.press("\uE007");
    assertThat(browser.run("return document.activeElement.id").asText()).isEqualTo("main");

    // A page that was gone to is read out from its heading.
    browser.click("Keys");
    browser.awaitText("Issue a key");
    browser.awaitFocus("h1", "Keys");

    browser.run(
        "[...document.querySelectorAll('button')].find(b => b.innerText === 'Issue a"
            + " key').focus()");
    browser.press("\uE007");
    browser.awaitText("A new one is made");
    assertThat(browser.run("return document.activeElement.closest('dialog') !== null").asBoolean())
        .isTrue();
    for (int i = 0; i < 12; i++) {
      browser.press("\uE004");
      assertThat(
              browser
                  .run(
                      "const e = document.activeElement;"
                          + "return e === document.body || e.closest('dialog') !== null")
                  .asBoolean())
          .as("the focus stays in the dialogue")
          .isTrue();
    }
    browser.press("\uE00C");
    browser.awaitNoText("A new one is made");
    browser.awaitFocus("button", "Issue a key");
  }

  @Test
  void aTableIsSavedAsCsv() throws Exception {
    browser.show(1440, 900, false);
    open("#/keys");
    browser.awaitText("active");
    // What would be saved is looked at instead.
    browser.run(
        "window.saved = [];"
            + "URL.createObjectURL = blob => { window.saved.push(blob.text()); return 'blob:'; };");
    browser.click("CSV");
    browser.awaitText("rows saved.");
    assertThat(browser.evaluate("window.saved[0]").asText())
        .startsWith("Name,Project,State,")
        .contains("it,test,active,", "it,shop,active,");
    open("#/requests?model=gpt-5.1");
    browser.awaitText("gpt-5.1");
    browser.run(
        "window.saved = [];"
            + "URL.createObjectURL = blob => { window.saved.push(blob.text()); return 'blob:'; };");
    browser.click("CSV");
    browser.awaitText("requests.csv was saved.");
    assertThat(browser.evaluate("window.saved[0]").asText().lines())
        .hasSizeGreaterThan(10)
        .allMatch(line -> line.contains("gpt-5.1") || line.startsWith("id,"));
    // Those of the server, and all short texts of what matters.
    List<String> texts = new ArrayList<>(List.of("a,b", "2026-11-26", "-5", "1e-9", "+49 5", "＝1"));
    for (int i = 0; i < 7 * 7 * 7 * 7; i++) {
      String text = "";
      for (int rest = i; rest > 0; rest /= 7) {
        text += "=;\" \ta\n".charAt(rest % 7);
      }
      texts.add(text);
    }
    JsonNode cells =
        browser.evaluate(
            "import(new URL('console/table.js', document.baseURI)).then(t => "
                + JSON.writeValueAsString(texts)
                + ".map(t.csvCell))");
    assertThat(cells)
        .extracting(JsonNode::asText)
        .containsExactlyElementsOf(texts.stream().map(CsvText::cell).toList());
  }

  @Test
  void aRowOfTheAuditLogOpensInItsPlaceAndNamesTheKey() throws Exception {
    browser.show(1440, 900, false);
    open("#/audit?action=key-limits");
    browser.awaitText("it · shop");
    browser.run("document.querySelector('main tbody button').click()");
    browser.awaitText("Request id");
    assertThat(
            browser
                .run("return document.querySelector('main tbody tr + tr .detail') !== null")
                .asBoolean())
        .isTrue();
    assertThat(
            browser
                .evaluate(
                    "import(new URL('console/range.js', document.baseURI)).then(r =>"
                        + " r.since('30d').from === r.days(30).from + 'T00:00:00.000Z')")
                .asBoolean())
        .as("the same words are the same days on every page")
        .isTrue();
  }

  @Test
  void aDifferenceOfRevisionsKeepsEveryLineAndBoundsItsWork() throws Exception {
    open("#/");
    browser.awaitText("Who uses it");
    JsonNode difference =
        browser.evaluate(
            "import(new URL('console/diff.js', document.baseURI)).then(d =>"
                + " d.diffLines('a\\nb\\nc\\n', 'a\\nx\\nc\\nd\\n').map(l => l.kind[0] + l.text))");
    assertThat(difference)
        .extracting(JsonNode::asText)
        .containsExactly("ka", "rb", "ax", "kc", "ad");
    assertThat(
            browser
                .evaluate(
                    "import(new URL('console/diff.js', document.baseURI)).then(d => {"
                        + "const t = n => Array.from({length: 20000}, (_, i) => n + i).join('\\n');"
                        + "return d.diffLines(t('a'), t('b')).length; })")
                .asInt())
        .isEqualTo(40_000);
  }

  private static String axe(String options) {
    return "axe.run(document, {%sresultTypes: ['violations']}).then(found => found.violations.map("
            .formatted(options)
        + "v => v.id + ': ' + v.nodes.map(n => n.html + ' ' + n.failureSummary).join('; ')))";
  }

  private static String focused() throws Exception {
    return browser.run("return document.activeElement.innerText").asText();
  }

  private static void open(String hash) throws Exception {
    browser.open("about:blank");
    browser.open(GATEWAY.adminUrl() + "/" + hash);
  }

  private static JsonNode admin(String method, String path, String body) throws Exception {
    HttpResponse<String> answer = new AdminClient(GATEWAY, "").send(method, "/" + path, body);
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
    return JSON.readTree(answer.body());
  }
}
