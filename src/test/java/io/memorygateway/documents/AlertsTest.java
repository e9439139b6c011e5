package io.memorygateway.documents;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** What is shipped for watching: one outage is one page, and documents say what is there. */
class AlertsTest {
  private static final Path FOLDER = Path.of("ops/prometheus");
  private static final Pattern METRIC = Pattern.compile("\"(memory_gateway_\\w+)\"");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)=~?\"([^\"]+)\"");

  /** In quotation marks, unless it is a line of the log or a page of the console. */
  private static final Pattern PANEL =
      Pattern.compile("(?<!line |line, |console's )\"([A-Z][^\"]+)\"");

  private final List<JsonNode> alerts = list(yaml("alerts.yml").at("/groups/0/rules"));
  private final List<JsonNode> inhibitions = list(yaml("alertmanager.yml").path("inhibit_rules"));

  AlertsTest() throws IOException {}

  @Test
  void whatIsKeptQuietAndByWhatAreAlertsThatThereAre() {
    assertThat(inhibitions).isNotEmpty();
    for (JsonNode rule : inhibitions) {
      assertThat(fitting(rule.path("source_matchers"))).as("%s", rule).isNotEmpty();
      assertThat(fitting(rule.path("target_matchers"))).as("%s", rule).isNotEmpty();
      assertThat(fitting(rule.path("target_matchers")))
          .as("an alert may not keep itself quiet: %s", rule)
          .doesNotContainAnyElementsOf(fitting(rule.path("source_matchers")));
    }
  }

  @Test
  void whatFollowsFromAnOutageOfTheDatabaseIsQuietWhileANodeSaysThatItIsAway() {
    List<JsonNode> following =
        alerts.stream().filter(alert -> alert.at("/labels/behind").isTextual()).toList();
    assertThat(following).hasSizeGreaterThan(5);
    for (JsonNode alert : following) {
      assertThat(inhibitions)
          .as("%s", alert.path("alert"))
          .anySatisfy(
              rule -> {
                assertThat(list(rule.path("source_matchers")))
                    .extracting(JsonNode::asText)
                    .containsExactly("alertname=\"GatewayNotReady\"", "check=\"database\"");
                assertThat(fitting(rule.path("target_matchers"))).contains(alert);
              });
    }
  }

  @Test
  void panelsThatTheRunbookNamesAreOnTheDashboard() throws IOException {
    String text = Files.readString(Path.of("ops/runbook.md")).replaceAll("\\s+", " ");
    List<String> named =
        PANEL
            .matcher(text.substring(0, text.indexOf("## What errors mean")))
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(named).hasSizeGreaterThan(10);
    assertThat(
            new ObjectMapper()
                .readTree(Path.of("ops/grafana/dashboard.json").toFile())
                .findValuesAsText("title"))
        .containsAll(named);
  }

  /** What is of all nodes together has no instance, which for Alertmanager is equal to none. */
  @Test
  void oneNodeKeepsNothingQuietThatIsOfOthers() {
    assertThat(inhibitions)
        .allSatisfy(
            rule -> {
              boolean ofAll =
                  fitting(rule.path("source_matchers")).stream().allMatch(AlertsTest::isOfAllNodes);
              assertThat(rule.path("equal").toString()).isEqualTo(ofAll ? "" : "[\"instance\"]");
            });
  }

  @Test
  void everyAlertLeadsToTheRunbookWhereverThatIs() {
    assertThat(alerts)
        .allSatisfy(
            alert ->
                assertThat(alert.at("/annotations/runbook_url").asText())
                    .matches("\\{\\{ \\$externalLabels\\.runbooks }}ops/runbook\\.md#[a-z]+"));
  }

  @Test
  void everyMetricIsLookedAtSomewhere() throws IOException {
    StringBuilder sources = new StringBuilder();
    for (Path source : SourceTree.files(SourceTree.MAIN, ".java")) {
      sources.append(Files.readString(source));
    }
    String looked =
        Files.readString(Path.of("ops/grafana/dashboard.json"))
            + Files.readString(FOLDER.resolve("alerts.yml"))
            + Files.readString(Path.of("ops/runbook.md"))
            + Files.readString(Path.of("ops/tracing.md"));

    assertThat(METRIC.matcher(sources).results().map(metric -> metric.group(1)))
        .hasSizeGreaterThan(50)
        .allMatch(looked::contains);
  }

  @Test
  void theRowsOfTheDashboardAreThoseOfTheDocument() throws IOException {
    List<String> rows =
        list(
                new ObjectMapper()
                    .readTree(Path.of("ops/grafana/dashboard.json").toFile())
                    .path("panels"))
            .stream()
            .filter(panel -> panel.path("type").asText().equals("row"))
            .map(panel -> panel.path("title").asText())
            .toList();

    assertThat(Files.readString(Path.of("ops/install.md")).replaceAll("\\s+", " "))
        .contains(String.join("; ", rows) + ".");
  }

  private static boolean isOfAllNodes(JsonNode alert) {
    String expression = alert.path("expr").asText();
    return expression.contains("sum(") && !expression.contains("by (instance");
  }

  /** Alerts that all matchers fit. */
  private List<JsonNode> fitting(JsonNode matchers) {
    return alerts.stream()
        .filter(alert -> list(matchers).stream().allMatch(matcher -> fits(alert, matcher.asText())))
        .toList();
  }

  private static boolean fits(JsonNode alert, String text) {
    Matcher matcher = MATCHER.matcher(text);
    assertThat(matcher.matches()).as(text).isTrue();
    String name = matcher.group(1);
    if (name.equals("check")) {
      return alert.path("expr").asText().contains(text);
    }
    JsonNode value =
        name.equals("alertname") ? alert.path("alert") : alert.path("labels").path(name);
    return value.asText().matches(matcher.group(2));
  }

  private static List<JsonNode> list(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).toList();
  }

  private static JsonNode yaml(String file) throws IOException {
    return new YAMLMapper().readTree(FOLDER.resolve(file).toFile());
  }
}
