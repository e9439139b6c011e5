package io.memorygateway.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.dropwizard.jackson.Jackson;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which {@code maxOutput} is that of a model. */
class TranslationSettingsTest {
  @Test
  void itsNameGoesBeforeThePatternThatSaysMostAndOfEquallyLongOnesTheFirst() throws Exception {
    List<String> patterns =
        new ArrayList<>(List.of("*", "big*", "*-one", "b*-one", "bi*one", "big-o*", "*g-one"));
    for (int turn = 0; turn < patterns.size(); turn++) {
      Collections.rotate(patterns, 1);
      String longest =
          patterns.stream().filter(each -> each.length() == 6).findFirst().orElseThrow();
      assertThat(maxOutput(patterns, "big-one")).isEqualTo(patterns.indexOf(longest) + 1);
    }
    patterns.add("big-one");
    assertThat(maxOutput(patterns, "big-one")).isEqualTo(patterns.size());
    assertThat(maxOutput(List.of("small"), "big-one")).isNull();
  }

  /** Each pattern has its place as its number. */
  private static @Nullable Long maxOutput(List<String> patterns, String model) throws Exception {
    List<String> members = new ArrayList<>();
    patterns.forEach(each -> members.add("\"%s\":%d".formatted(each, members.size() + 1)));
    String entry =
        "{\"baseUrl\":\"http://x/v1\",\"endpoints\":[\"chat\"],\"maxOutput\":{%s}}"
            .formatted(String.join(",", members));
    return Jackson.newObjectMapper()
        .readValue(entry, ProviderConfiguration.class)
        .translation()
        .maxOutput(model);
  }
}
