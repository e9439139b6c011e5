package io.memorygateway.format.translation;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.translation.Request.Shared;
import io.memorygateway.json.JsonValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a call has of how tokens are chosen, after a refusal. */
class SamplingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "temperature top_p top_k|top_p top_k|`temperature` is deprecated for this model.",
        "temperature top_p|temperature|`temperature` and `top_p` cannot both be specified",
        "temperature top_p|temperature|Use only one of temperature and top_p",
        "top_p|top_p|`temperature` and `top_p` cannot both be specified for this model.",
        "temperature top_p top_k||temperature, top_p and top_k are not supported",
        "temperature|temperature|the tool get_temperature is not supported",
      })
  void isLeftOutAsFarAsTheRefusalNamesIt(String given, String left, String words) {
    Map<String, Shared> members = new LinkedHashMap<>();
    for (String member : given.split(" ", -1)) {
      members.put(member, new Shared(member, JsonValue.of("0.5")));
    }

    Sampling.namedIn(words).forEach(each -> each.removeFrom(members));

    assertThat(members.keySet())
        .containsExactlyElementsOf(left == null ? List.of() : List.of(left.split(" ", -1)));
  }
}
