package io.memorygateway.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of the gates of a call names settings and metrics that there are. */
class GatesDocumentTest {
  private static final Pattern METRIC = Pattern.compile("memory_gateway_\\w+");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern REFUSALS =
      Pattern.compile("\"(memory_gateway_\\w*(?:refus|reject)\\w*_total)\"");

  /** Refusals of something else than calls: on the admin port, by the database, of observations. */
  private static final Set<String> OF_NO_CALL =
      Set.of(
          "memory_gateway_admin_refused_total",
          "memory_gateway_admin_logins_refused_total",
          "memory_gateway_rate_limit_refusals_dropped_total",
          "memory_gateway_reflections_rejected_total",
          "memory_gateway_request_log_refused_total");

  private final String page = Files.readString(Path.of("src/docs/gates.md"));
  private final String sources = sources();

  GatesDocumentTest() throws IOException {}

  @Test
  void everyGateHasAReasonABoundAndWhatTheCallerSees() {
    assertThat(gates())
        .hasSizeGreaterThan(15)
        .allSatisfy(
            gate ->
                assertThat(List.of(gate[0], gate[1], gate[2], gate[5]))
                    .as(gate[0])
                    .noneMatch(String::isBlank));
  }

  @Test
  void everyMetricOfThePageIsMeasured() {
    assertThat(all(METRIC, page))
        .isNotEmpty()
        .allMatch(metric -> sources.contains('"' + metric + '"'));
  }

  @Test
  void everySettingOfAGateIsInTheTableOfSettings() throws IOException {
    String settings = Files.readString(Path.of("ops/configuration.md"));
    for (String[] gate : gates()) {
      assertThat(all(CODE, gate[3]))
          .as(gate[0])
          .allMatch(setting -> settings.contains("\n| `" + setting + "` |"));
    }
  }

  @Test
  void everyMetricThatCountsRefusedCallsIsOnThePage() {
    Set<String> counted = all(REFUSALS, sources);
    counted.removeAll(OF_NO_CALL);

    assertThat(all(METRIC, page)).containsAll(counted);
  }

  private List<String[]> gates() {
    return page.lines()
        .filter(line -> line.startsWith("| ") && !line.startsWith("| gate "))
        .map(line -> line.substring(2, line.length() - 1).split("\\|", -1))
        .peek(gate -> assertThat(gate).as(gate[0]).hasSize(6))
        .toList();
  }

  /** What a pattern's group finds, or all of it without a group. */
  private static Set<String> all(Pattern pattern, String text) {
    Set<String> found = new TreeSet<>();
    for (MatchResult match : pattern.matcher(text).results().toList()) {
      found.add(match.group(match.groupCount()));
    }
    return found;
  }

  private static String sources() throws IOException {
    StringBuilder all = new StringBuilder();
    for (Path source : SourceTree.files(SourceTree.MAIN, ".java")) {
      all.append(Files.readString(source));
    }
    return all.toString();
  }
}
