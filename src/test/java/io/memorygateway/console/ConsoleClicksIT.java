package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.Browser;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestBrowser;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §12: everything on the pages that can be clicked does something that works. */
@Tag("heavy")
class ConsoleClicksIT {
  @RegisterExtension static final TestBrowser BROWSER = new TestBrowser();
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .withoutKey()
          .configured(
              config -> {
                ConsoleCalls.route(config, UPSTREAM);
                AdminClient.takeTokens(config);
              });

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ConsoleCalls CALLS = new ConsoleCalls(GATEWAY);

  /** What a step in an address looks like, and nothing that is one character. */
  private static final List<String> ODD_THREADS = List.of(".", "..", "a/b%2F;c ü?#..");

  private static final String ODD_PARTS =
      """
      {"messages":[
        {"role":"user","content":[{"type":{"props":{"a":1},"key":null,"ref":null}},{"type":["text"]},{"type":5},{"type":null},
          {"type":true,"name":{"type":"img","props":{}}},{"a":{"constructor":null}},"text",{"type":{"deep":{"type":"b"}},"text":"x"}]},
        {"role":"user","content":{"type":{"type":"img","props":{"src":"x"}}}},
        {"role":"assistant","content":[{"type":"image_url","image_url":{"url":"http://127.0.0.1:1/"}}]}]}\
      """;

  private static AdminClient owner;
  private static Browser browser;
  private static final List<String> PAGES = new ArrayList<>();
  private static final List<String> THREADS = new ArrayList<>();
  private static final List<String> LONG = new ArrayList<>();
  private static final Map<String, String> SHOWN =
      Map.of("#/audit", "key-issue", "#/providers", "Test call");

  @BeforeAll
  static void data() throws Exception {
    browser = BROWSER.get();
    browser.show(1440, 900, false);
    owner = AdminClient.of(GATEWAY, DATABASE, "owner");
    JsonNode issued = owner.post("/keys", "{\"project\":\"..\",\"name\":\"of two dots\"}");
    String key = issued.path("key").asText();
    String id = issued.path("id").asText();
    for (String thread : ODD_THREADS) {
      String text = JSON.writeValueAsString(thread);
      CALLS.memory(key, "POST", "/threads", "{\"id\":" + text + ",\"resourceId\":\"user-7\"}");
      String path = "/threads/" + AdminClient.segment(thread);
      CALLS.memory(key, "POST", path + "/messages", ODD_PARTS);
      THREADS.add("#/threads/../" + AdminClient.encoded(thread));
    }
    CALLS.observed(key, "zebras");
    THREADS.add("#/threads/../zebras");
    THREADS.add("#/threads/../zebras?view=observations");
    THREADS.add("#/threads?project=..");
    THREADS.add("#/threads?project=..&resourceId=user-7");
    THREADS.add("#/search?project=..&resourceId=user-7&q=zebra");
    THREADS.add("#/search?project=..&q=zebra");
    UPSTREAM.answer(
        request ->
            request.path().startsWith("/near")
                ? Answer.error(500, "server_error", "it is down")
                : CannedReplies.answer(request));
    for (int i = 0; i < 6; i++) {
      CALLS.chat(key, i % 2 == 0 ? "fast" : "gpt-5.1", "Hello", null);
    }
    // Open for as long as the test takes: one that failures opened is half open in between.
    owner.post("/circuits", "{\"provider\":\"near\",\"model\":\"small\",\"state\":\"open\"}");
    owner.send("PUT", "/keys/" + id + "/limits/llm_burst", "{\"limit\":1}");
    String budget = "{\"unit\":\"tokens\",\"limit\":900000,\"window\":\"month\"}";
    owner.send("PUT", "/budgets/keys/" + id + "/own", budget);
    owner.send("PUT", "/budgets/projects/%1F../all", budget);
    for (int i = 0; i < 3; i++) {
      CALLS.chat(key, "gpt-5.1", "Hello", null);
    }
    String request = CALLS.awaitRequests(owner, "model=large").get(0).path("id").asText();
    String named = "long" + "andlonger".repeat(20);
    JsonNode other =
        owner.post("/keys", "{\"project\":\"" + named + "\",\"name\":\"" + named + "\"}");
    String otherKey = other.path("key").asText();
    CALLS.memory(
        otherKey,
        "POST",
        "/threads",
        "{\"id\":\"" + named + "\",\"resourceId\":\"" + named + "\",\"title\":\"" + named + "\"}");
    CALLS.chat(otherKey, named, "Hello", null);
    String otherId = other.path("id").asText();
    owner.send("PUT", "/keys/" + otherId + "/limits/llm_burst", "{\"limit\":1}");
    owner.send("PUT", "/budgets/projects/" + named + "/" + "longest".repeat(9), budget);
    CALLS.chat(otherKey, named, "Hello", null);
    CALLS.chat(otherKey, named, "Hello", null);
    CALLS.awaitRequests(owner, "key=" + otherId);
    LONG.addAll(
        List.of(
            "#/",
            "#/requests?key=" + otherId,
            "#/usage?by=project",
            "#/usage?by=model",
            "#/usage?by=model&project=" + named,
            "#/requests?model=" + named,
            "#/providers",
            "#/keys",
            "#/keys/" + otherId,
            "#/project/" + named,
            "#/threads?project=" + named,
            "#/threads/" + named + "/" + named,
            "#/limits?key=" + otherId,
            "#/audit"));
    PAGES.addAll(
        List.of(
            "#/",
            "#/requests",
            "#/requests/" + request,
            "#/usage",
            "#/keys",
            "#/keys/" + id,
            "#/project/..",
            "#/providers",
            "#/limits?key=" + id,
            "#/audit"));
  }

  /** Whatever the names, every table is whole in its window, and no column of it is squeezed. */
  @ParameterizedTest
  @ValueSource(ints = {1440, 1200, 360})
  void longNamesAreCutOrWrapped(int width) throws Exception {
    browser.show(width, 900, false);
    List<String> faults = new ArrayList<>();
    try {
      login("owner");
      for (String hash : LONG) {
        browser.run("location.hash = '#/nowhere'");
        browser.awaitText("There is no such page");
        browser.run("location.hash = arguments[0]", hash);
        browser.awaitText(SHOWN.getOrDefault(hash, "long"));
        browser.awaitLoaded();
        browser
            .run(
                """
                const faults = [];
                if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than the window');
                for (const table of document.querySelectorAll('main .table')) {
                  const name = table.getAttribute('aria-label');
                  if (table.scrollWidth > table.clientWidth + 1) faults.push(`${name}: ${table.scrollWidth} of ${table.clientWidth}`);
                  for (const cell of table.querySelectorAll('td, th')) {
                    if (cell.checkVisibility() && cell.clientHeight > 200) faults.push(`${name}: ${cell.innerText} is squeezed`);
                    if (cell.querySelector('button') && cell.scrollWidth > cell.clientWidth) faults.push(`${name}: a button is cut`);
                  }
                }
                const over = (cell) => cell.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
                for (const cell of document.querySelectorAll('main .table td:not(.grow), main .table .cut')) {
                  if (!cell.checkVisibility() || cell.scrollWidth <= cell.clientWidth) continue;
                  const content = [...cell.childNodes];
                  over(cell);
                  if (!cell.title) faults.push(`${cell.innerText} is nowhere whole`);
                  cell.replaceChildren('x');
                  over(cell);
                  if (cell.title) faults.push(`${cell.title} stays where x stands`);
                  cell.replaceChildren(...content);
                }
                return faults;
                """)
            .forEach(fault -> faults.add(hash + ": " + fault.asText()));
      }
    } finally {
      browser.show(1440, 900, false);
    }
    assertThat(faults).isEmpty();
  }

  private static void login(String role) throws Exception {
    browser.open(GATEWAY.adminUrl() + "/");
    browser.run(
        "sessionStorage.setItem('memory-gateway-admin-token', arguments[0])",
        AdminClient.token(DATABASE, role));
    browser.open("about:blank");
    browser.open(GATEWAY.adminUrl() + "/");
    browser.awaitText("Who uses it");
  }

  @ParameterizedTest
  @ValueSource(strings = {"viewer", "operator", "owner"})
  void everythingThatCanBeClickedWorksInEveryRole(String role) throws Exception {
    List<String> pages = new ArrayList<>(PAGES);
    if (role.equals("owner")) {
      pages.addAll(THREADS);
    } else if (role.equals("operator")) {
      // Of a thread, it may do a part of what an owner may.
      pages.addAll(List.of("#/threads/../..", "#/threads?project=.."));
    }
    login(role);
    browser.complaints();

    JsonNode done =
        browser.evaluate(
            Files.readString(Path.of("src/test/resources/console/clicks.js"))
                .replace("HASHES)", JSON.writeValueAsString(pages) + ")"));

    assertThat(done.path("faults")).isEmpty();
    assertThat(browser.complaints()).isEmpty();
    assertThat(done.path("clicked").size()).as("%s", done.path("clicked")).isGreaterThan(30);
    if (!role.equals("viewer")) {
      assertThat(done.path("clicked"))
          .extracting(JsonNode::asText)
          .contains("#/threads/../.. button \"Export\"", "#/threads?project=.. button \"Export\"");
    }
  }
}
