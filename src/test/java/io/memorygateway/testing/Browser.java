package io.memorygateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The Chromium of this machine without a window, driven by its own chromedriver in the protocol of
 * W3C WebDriver. Nothing is fetched: where either is missing, there is no browser.
 */
public final class Browser implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path CHROMIUM = program("CHROMIUM", "/usr/bin/chromium");
  private static final Path CHROMEDRIVER = program("CHROMEDRIVER", "/usr/bin/chromedriver");
  private static final Pattern PORT = Pattern.compile("successfully on port (\\d+)");

  /** Name of a reference to an element in the protocol. */
  private static final String ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

  private static final String VISIBLE =
      "const shown = e => e.checkVisibility && e.checkVisibility() && !e.closest('[inert]');"
          + "const top = document.querySelector('dialog[open]') || document;"
          + "const name = e => (e.getAttribute('aria-label') || e.textContent)"
          + ".replace(/\\s+/g, ' ').trim();";

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process driver;
  private final String session;

  private Browser(Process driver, String url) throws Exception {
    this.driver = driver;
    ObjectNode wanted = JSON.createObjectNode();
    ObjectNode always = wanted.putObject("capabilities").putObject("alwaysMatch");
    always.put("browserName", "chrome").putObject("goog:loggingPrefs").put("browser", "ALL");
    ObjectNode chrome = always.putObject("goog:chromeOptions").put("binary", CHROMIUM.toString());
    // Containers have neither a kernel's sandbox nor much of /dev/shm.
    Stream.of("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars")
        .forEach(chrome.withArray("/args")::add);
    String id = post(url + "/session", wanted).path("sessionId").asText();
    session = url + "/session/" + id;
  }

  private static Path program(String variable, String usual) {
    return Path.of(System.getenv().getOrDefault(variable, usual));
  }

  /** Whether this machine has a browser and its driver. */
  static boolean isInstalled() {
    return Files.isExecutable(CHROMIUM) && Files.isExecutable(CHROMEDRIVER);
  }

  /**
   * A browser of its own. The driver asks the kernel for a port of IPv6 and ends if another holds
   * the same number in IPv4: then another is started.
   */
  public static Browser start() throws Exception {
    for (int left = 20; ; left--) {
      Process driver =
          new ProcessBuilder(CHROMEDRIVER.toString(), "--port=0").redirectErrorStream(true).start();
      BufferedReader out = driver.inputReader(StandardCharsets.UTF_8);
      StringBuilder said = new StringBuilder();
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        said.append(line).append('\n');
        Matcher port = PORT.matcher(line);
        if (port.find()) {
          return started(driver, out, port.group(1));
        }
      }
      if (left == 0 || said.indexOf("port not available") < 0) {
        throw new IOException("chromedriver did not start: " + said);
      }
    }
  }

  private static Browser started(Process driver, BufferedReader out, String port) throws Exception {
    Thread drain = new Thread(() -> out.lines().forEach(ignored -> {}), "chromedriver-output");
    drain.setDaemon(true);
    drain.start();
    try {
      return new Browser(driver, "http://127.0.0.1:" + port);
    } catch (Exception e) {
      driver.destroy();
      throw e;
    }
  }

  public void open(String url) throws Exception {
    post(session + "/url", Map.of("url", url));
  }

  /** Size of the window, and the colours that the viewer prefers. */
  public void show(int width, int height, boolean dark) throws Exception {
    devTools(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    Map<String, String> colours =
        Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light");
    devTools("Emulation.setEmulatedMedia", Map.of("features", List.of(colours)));
  }

  /** Value of a script in the page. */
  public JsonNode run(String script, Object... arguments) throws Exception {
    return post(session + "/execute/sync", Map.of("script", script, "args", List.of(arguments)));
  }

  /**
   * Value of an expression, a promise maybe, whatever the policy of the page forbids to its own
   * scripts.
   */
  public JsonNode evaluate(String expression) throws Exception {
    JsonNode answer =
        devTools(
            "Runtime.evaluate",
            Map.of("expression", expression, "awaitPromise", true, "returnByValue", true));
    if (answer.has("exceptionDetails")) {
      throw new AssertionError(answer.path("exceptionDetails").toString());
    }
    return answer.path("result").path("value");
  }

  /** Waits until a link, a button or a tab has this name, and clicks on it. */
  public void click(String name) throws Exception {
    click(
        VISIBLE
            + "return [...top.querySelectorAll('a,button,summary')]"
            + ".find(e => shown(e) && !e.disabled && name(e) === arguments[0]) || null;",
        name);
  }

  /** The same for the first whose name begins so. */
  public void clickFirst(String start) throws Exception {
    click(
        VISIBLE
            + "return [...top.querySelectorAll('main a, main button, dialog button')]"
            + ".find(e => shown(e) && !e.disabled && name(e).startsWith(arguments[0])) || null;",
        start);
  }

  private void click(String script, String argument) throws Exception {
    // What is found may be drawn anew before the click arrives: then it is looked for again.
    until(
        "something to click on that is called " + argument,
        () -> {
          JsonNode found = run(script, argument);
          if (!found.has(ELEMENT)) {
            return false;
          }
          post(session + "/element/" + found.path(ELEMENT).asText() + "/click", Map.of());
          return true;
        });
  }

  /**
   * Waits until there is a field with this label, and types into it in the place of what is there.
   */
  public void fill(String label, String text) throws Exception {
    until(
        "the field " + label,
        () -> {
          JsonNode field = field(label);
          if (!field.has(ELEMENT)) {
            return false;
          }
          String element = session + "/element/" + field.path(ELEMENT).asText();
          run("arguments[0].focus(); arguments[0].select && arguments[0].select();", field);
          post(element + "/value", Map.of("text", text));
          return true;
        });
  }

  /** The same, and takes it over as Enter does. */
  public void enter(String label, String text) throws Exception {
    fill(label, text + '\uE007');
  }

  /** Chooses what reads so, or begins so, from a list. */
  public void choose(String label, String text) throws Exception {
    until(
        "the choice " + text + " of the field " + label,
        () -> {
          JsonNode field = field(label);
          return field.has(ELEMENT)
              && run(
                      "const o = [...arguments[0].options].find(o => o.text.startsWith(arguments[1]));"
                          + "if (!o) return false;"
                          + "arguments[0].value = o.value;"
                          + "arguments[0].dispatchEvent(new Event('change', {bubbles: true}));"
                          + "return true;",
                      field,
                      text)
                  .asBoolean();
        });
  }

  /** A reference to the field, if there is one now; it may be drawn anew before it is used. */
  private JsonNode field(String label) throws Exception {
    return run(
        VISIBLE
            + "const l = [...top.querySelectorAll('label')].find(l => shown(l)"
            + " && l.querySelector('span')?.textContent === arguments[0]);"
            + "return l ? l.querySelector('input,select,textarea') : null;",
        label);
  }

  /** Waits until the page shows a text. */
  public void awaitText(String text) throws Exception {
    until(
        "the text " + text,
        () -> run("return document.body.innerText.includes(arguments[0])", text).asBoolean());
  }

  /** Waits until the page has a title, which it gets after it was drawn. */
  public void awaitTitle(String title) throws Exception {
    until(
        "the title " + title,
        () -> run("return document.title === arguments[0]", title).asBoolean());
  }

  /** Waits until no part of the console's page waits for its data any more. */
  public void awaitLoaded() throws Exception {
    until(
        "all parts of the page",
        () -> run("return document.querySelector('.skeleton') === null").asBoolean());
  }

  /** Waits until such an element that reads so has the focus, which it gets after it was drawn. */
  public void awaitFocus(String selector, String text) throws Exception {
    until(
        "focus on " + text,
        () ->
            run(
                    "const e = document.activeElement;"
                        + "return e !== null && e.matches(arguments[0]) && e.innerText === arguments[1];",
                    selector,
                    text)
                .asBoolean());
  }

  public void awaitNoText(String text) throws Exception {
    until(
        "no text " + text,
        () -> !run("return document.body.innerText.includes(arguments[0])", text).asBoolean());
  }

  /** Presses a key, by its code in the protocol. */
  public void press(String key) throws Exception {
    Map<String, ?> down = Map.of("type", "keyDown", "value", key);
    Map<String, ?> up = Map.of("type", "keyUp", "value", key);
    Map<String, ?> keyboard = Map.of("type", "key", "id", "keyboard", "actions", List.of(down, up));
    post(session + "/actions", Map.of("actions", List.of(keyboard)));
  }

  /** Cuts the page off from the network, or connects it again. */
  public void offline(boolean offline) throws Exception {
    devTools("Network.enable", Map.of());
    devTools(
        "Network.emulateNetworkConditions",
        Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
  }

  /** What the page shows. */
  public String text() throws Exception {
    return run("return document.body.innerText").asText();
  }

  public void screenshot(Path file) throws Exception {
    String data = devTools("Page.captureScreenshot", Map.of("format", "png")).path("data").asText();
    Files.write(file, Base64.getDecoder().decode(data));
  }

  /** What scripts and the browser complained of since the last time. */
  public List<String> complaints() throws Exception {
    return post(session + "/se/log", Map.of("type", "browser")).findValuesAsText("message");
  }

  private JsonNode devTools(String command, Map<String, ?> parameters) throws Exception {
    return post(session + "/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
  }

  /** A condition that talks to the browser. */
  private interface Condition {
    boolean holds() throws Exception;
  }

  private void until(String what, Condition condition) throws Exception {
    Supplier<String> page =
        () -> {
          try {
            return text();
          } catch (Exception e) {
            return e.toString();
          }
        };
    try {
      Awaitility.await(what)
          .pollInterval(Duration.ofMillis(50))
          .ignoreExceptionsMatching(StaleException.class::isInstance)
          .until(condition::holds);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("No " + what + " on the page:\n" + page.get(), e);
    }
  }

  /** The page was drawn anew between two commands. */
  private static final class StaleException extends IOException {
    private static final long serialVersionUID = 1;

    StaleException(String message) {
      super(message);
    }
  }

  private JsonNode post(String url, Object body) throws Exception {
    var answer =
        http.send(
            HttpRequest.newBuilder(URI.create(url))
                .timeout(TestTimeout.DEFAULT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)))
                .build(),
            BodyHandlers.ofString());
    JsonNode value = JSON.readTree(answer.body()).path("value");
    String error = value.path("error").asText();
    if (List.of("stale element reference", "element not interactable", "element click intercepted")
        .contains(error)) {
      throw new StaleException(error);
    }
    if (answer.statusCode() != 200) {
      throw new IOException(value.path("error").asText() + ": " + value.path("message").asText());
    }
    return value;
  }

  @Override
  public void close() throws IOException {
    try {
      http.send(
          HttpRequest.newBuilder(URI.create(session)).timeout(TestTimeout.DEFAULT).DELETE().build(),
          BodyHandlers.discarding());
      driver.destroy();
      driver.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      driver.destroy();
    }
  }
}
