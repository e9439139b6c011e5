package io.memorygateway.proxy.own;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.dropwizard.jackson.Jackson;
import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import io.memorygateway.proxy.ProxyModule;
import io.memorygateway.proxy.route.ProviderConfiguration;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Contract §11: an embedding model that nobody serves is refused at the start, and by check; what
 * no text can be the cause of is told apart.
 */
class ProviderEmbeddingsTest {
  private static final ObjectMapper YAML = Jackson.newObjectMapper(new YAMLFactory());

  private static final String PROVIDERS =
      """
      openai: {baseUrl: "http://x/v1", apiKey: k, endpoints: [chat, embeddings]}
      anthropic: {baseUrl: "http://x", apiKey: k, endpoints: [messages]}
      keyless: {baseUrl: "http://x/v1", endpoints: [embeddings]}
      tei: {baseUrl: "http://x/v1", needsKey: false, endpoints: [embeddings]}
      """;

  @Test
  void aModelThatIsServedIsDescribed() throws Exception {
    assertThat(describe("tei/BAAI/bge-m3"))
        .startsWith("search by words and meaning: tei/BAAI/bge-m3");
    assertThat(describe(null)).noneMatch(line -> line.startsWith("search"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text-embedding-3-small | must be provider/model",
        "openai/                | must be provider/model",
        "zebra/x                | must be provider/model, with one of the providers openai",
        "anthropic/x            | 'anthropic' does not serve embeddings",
        "keyless/x              | 'keyless' has no key",
      })
  void oneThatIsNotServedIsRefused(String model, String fault) {
    assertThatThrownBy(() -> describe(model))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("search.embeddingModel: ")
        .hasMessageContaining(fault);
  }

  @ParameterizedTest
  @CsvSource({
    "400, REFUSED",
    "413, REFUSED",
    "422, REFUSED",
    "500, ERROR",
    "503, ERROR",
    "529, ERROR",
    "302, UNAVAILABLE",
    "401, UNAVAILABLE",
    "404, UNAVAILABLE",
    "408, UNAVAILABLE",
    "429, UNAVAILABLE",
  })
  void aStatusTellsWhetherTextsMayBeTheCause(int status, Reason reason) {
    assertThat(ProviderEmbeddings.reason(status)).isEqualTo(reason);
  }

  @ParameterizedTest
  @EnumSource
  void ofCallsWithoutAnAnswerTextsMayBeTheCauseOfTimeoutsAlone(UpstreamFailure.Kind kind) {
    assertThat(ProviderEmbeddings.reason(kind))
        .isEqualTo(kind == UpstreamFailure.Kind.TIMEOUT ? Reason.TIMEOUT : Reason.UNAVAILABLE);
  }

  private static List<String> describe(String model) throws Exception {
    Map<String, ProviderConfiguration> providers =
        YAML.readValue(
            PROVIDERS,
            YAML.getTypeFactory()
                .constructMapType(LinkedHashMap.class, String.class, ProviderConfiguration.class));
    return ProxyModule.describeModels(Map.of(), model, providers, Map.of());
  }
}
