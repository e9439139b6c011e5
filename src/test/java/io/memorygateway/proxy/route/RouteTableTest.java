package io.memorygateway.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.dropwizard.jackson.Jackson;
import io.memorygateway.proxy.ProxyModule;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §10: routes that cannot be are refused at the start with the key and the fault. */
class RouteTableTest {
  private static final ObjectMapper YAML = Jackson.newObjectMapper(new YAMLFactory());

  private static final String PROVIDERS =
      """
      openai: {baseUrl: "http://x/v1", apiKey: k, endpoints: [chat, responses]}
      anthropic: {baseUrl: "http://x", apiKey: k, endpoints: [messages]}
      vllm: {baseUrl: "http://x/v1", needsKey: false, endpoints: [chat]}
      keyless: {baseUrl: "http://x/v1", endpoints: [chat]}
      """;

  @Test
  void aGoodRouteIsDescribed() throws Exception {
    assertThat(
            describe(
                "{fast: {groups: [[{to: vllm/a/b, weight: 3}, {to: openai/c}], [{to:"
                    + " openai/d}]]}}"))
        .startsWith("route fast (chat): vllm/a/b 75 % or openai/c 25 %, then openai/d")
        .contains("provider openai: chat, responses");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{f: {}}                                              | routes.f: groups is missing",
        "{f: {groups: []}}                                    | routes.f: groups is missing",
        "{f: {groups: [[]]}}                                  | routes.f: a group has no targets",
        "{f: null}                                            | routes.f: groups is missing",
        "{f: {groups: [[{to: gpt}]]}}                         | to must be provider/model",
        "{f: {groups: [[{to: openai/}]]}}                     | to must be provider/model",
        "{f: {groups: [[{to: zebra/x}]]}}                     | there is no provider 'zebra'",
        "{f: {groups: [[{to: keyless/x}]]}}                   | 'keyless' has no key",
        "{f: {groups: [[{to: openai/x}, {to: openai/x}]]}}    | stands there twice",
        "{f: {groups: [[{to: openai/x}], [{to: anthropic/y}]]}} | no endpoint",
        "{openai/f: {groups: [[{to: openai/x}]]}}             | begins as the models of a provider",
        "{mastra/f: {groups: [[{to: openai/x}]]}}             | begins as the models of a provider",
        "{' f': {groups: [[{to: openai/x}]]}}                 | a name begins or ends with a blank",
        "{f: {groups: [[{to: openai/x, weight: 0}]]}}         | weight must be",
        "{f: {groups: [[{to: openai/x, window: 0}]]}}         | window must be",
        "{f: {groups: [[{weight: 1}]]}}                       | to is missing",
        "{f: {attempts: 0, groups: [[{to: openai/x}]]}}       | attempts must be",
        "{f: {attempts: 11, groups: [[{to: openai/x}]]}}      | attempts must be",
        "{f: {timeout: 0s, groups: [[{to: openai/x}]]}}       | timeout must be",
      })
  void oneThatCannotBeIsRefused(String routes, String fault) {
    assertThatThrownBy(() -> describe(routes)).hasMessageContaining(fault);
  }

  private static java.util.List<String> describe(String routes) throws Exception {
    return ProxyModule.describeModels(
        read(routes, RouteConfiguration.class),
        null,
        read(PROVIDERS, ProviderConfiguration.class),
        Map.of());
  }

  private static <T> Map<String, T> read(String yaml, Class<T> type) throws Exception {
    return YAML.readValue(
        yaml, YAML.getTypeFactory().constructMapType(LinkedHashMap.class, String.class, type));
  }
}
