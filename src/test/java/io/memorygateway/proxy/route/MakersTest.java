package io.memorygateway.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.dropwizard.jackson.Jackson;
import io.memorygateway.format.call.Prefill;
import io.memorygateway.format.call.ProviderTraits;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What providers take back of earlier answers, by their settings or else by their hosts. */
class MakersTest {
  private static final String ALL =
      "* audio extra_content reasoning reasoning_content reasoning_details thinking";

  private static final String WITH_ANNOTATIONS =
      "* annotations audio extra_content reasoning reasoning_content reasoning_details thinking";

  @ParameterizedTest
  @CsvSource({
    "https://api.openai.com/v1, audio, false, true",
    "https://example.openai.azure.com/openai/v1, audio, false, true",
    "https://api.anthropic.com, '', false, true",
    "https://generativelanguage.googleapis.com/v1beta/openai, extra_content, false, true",
    "https://api.groq.com/openai/v1, '', false, true",
    "https://api.mistral.ai/v1, thinking, true, false",
    "https://openrouter.ai/api/v1, '" + WITH_ANNOTATIONS + "', true, true",
    "https://api.deepseek.com/anthropic, " + ALL + ", true, true",
    "https://api.moonshot.ai:443/v1, " + ALL + ", true, true",
    "http://10.0.0.5:8000/v1, " + ALL + ", true, true",
    "https://api.openai.com.example.org/v1, " + ALL + ", true, true",
  })
  void knownMakersHaveDefaults(String url, String members, boolean unsigned, boolean options)
      throws Exception {
    ProviderTraits traits = traits("{\"baseUrl\":\"" + url + "\",\"endpoints\":[\"chat\"]}");

    assertThat(String.join(" ", new TreeSet<>(traits.reasoning()))).isEqualTo(members);
    assertThat(traits.unsignedThinking()).isEqualTo(unsigned);
    assertThat(traits.streamOptions()).isEqualTo(options);
  }

  @ParameterizedTest
  @CsvSource({
    "https://api.openai.com/v1, false, true",
    "https://generativelanguage.googleapis.com/v1beta/openai, false, false",
    "https://api.mistral.ai/v1, true, false",
    "https://api.cerebras.ai/v1, false, false",
    "https://openrouter.ai/api/v1, false, true",
    "http://10.0.0.5:8000/v1, false, true",
  })
  void knownMakersTakeFreeRolesAndOpenAisMembers(String url, boolean strict, boolean key)
      throws Exception {
    String json = "{\"baseUrl\":\"" + url + "\",\"endpoints\":[\"chat\"]}";
    assertThat(traits(json).strictRoles()).isEqualTo(strict);
    assertThat(
            Jackson.newObjectMapper().readValue(json, ProviderConfiguration.class).promptCacheKey())
        .isEqualTo(key);
  }

  @ParameterizedTest
  @CsvSource({
    "https://api.mistral.ai/v1, PREFIX",
    "https://api.deepseek.com/beta, PREFIX",
    "https://api.deepseek.com/v1, NONE",
    "https://api.moonshot.cn/v1, PARTIAL",
    "https://dashscope-intl.aliyuncs.com/compatible-mode/v1, PARTIAL",
    "http://10.0.0.5:8000/v1, NONE",
  })
  void knownMakersAreToldOfAnAnswerThatIsBegun(String url, Prefill prefill) throws Exception {
    String json = "{\"baseUrl\":\"" + url + "\",\"endpoints\":[\"chat\"]";
    assertThat(traits(json + "}").prefill()).isEqualTo(prefill);
    assertThat(traits(json + ",\"prefill\":\"continue\"}").prefill()).isEqualTo(Prefill.CONTINUE);
  }

  @Test
  void settingsDecide() throws Exception {
    assertThat(
            traits(
                """
                {"baseUrl":"https://api.openai.com/v1","endpoints":["chat"],"reasoningMembers":["x"],\
                "unsignedThinking":true,"streamOptions":false}\
                """))
        .isEqualTo(new ProviderTraits(Set.of("x"), true, false));
  }

  private static ProviderTraits traits(String json) throws Exception {
    return Jackson.newObjectMapper().readValue(json, ProviderConfiguration.class).traits();
  }
}
