package io.memorygateway.observation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.dropwizard.jackson.Jackson;
import io.dropwizard.jersey.validation.Validators;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObservationSettingsTest {
  private static final ObjectMapper YAML = Jackson.newObjectMapper(new YAMLFactory());

  @Test
  void whatIsLeftOutHasItsDefault() throws IOException {
    ObservationSettings settings = read("model: ''");
    assertThat(settings).isEqualTo(ObservationSettings.defaults());
    assertThat(settings.model()).isNull();
    assertThresholds(settings, "any", 30_000, 40_000);
    assertThat(settings.firstCheck()).isEqualTo(6_000);
    assertThat(settings.extractiveShare()).isEqualTo(0.215);
    assertThat(Validators.newValidator().validate(settings)).isEmpty();
  }

  @Test
  void aProjectHasItsOwnThresholds() throws IOException {
    ObservationSettings settings = read("projects: {shop: {messageTokens: 1000}}");
    assertThresholds(settings, "shop", 1_000, 40_000);
    assertThresholds(settings, "other", 30_000, 40_000);
    assertThat(settings.firstCheck()).isEqualTo(200);
  }

  @Test
  void aProjectHasItsOwnInstructions() throws IOException {
    ObservationSettings settings =
        read("{instructions: ' Note orders. ', projects: {shop: {instructions: ''}, bank: {}}}");
    assertThat(settings.instructions("bank")).isEqualTo("Note orders.");
    assertThat(settings.instructions("shop")).isEmpty();
    assertThat(settings.instructions("other")).isEqualTo("Note orders.");
    assertThat(Validators.newValidator().validate(read("instructions: " + "x".repeat(4_000))))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"extractiveShare: 0.05", "extractiveShare: 0.5"})
  void aShareWithinItsBoundsIsTaken(String yaml) throws IOException {
    assertThat(Validators.newValidator().validate(read(yaml))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "messageTokens: 0",
        "observationTokens: -1",
        "workers: 65",
        "parallelCalls: 0",
        "callTimeout: 1ms",
        "extractiveShare: 0",
        "extractiveShare: 0.049",
        "extractiveShare: 0.501",
        "projects: {shop: {messageTokens: 1}}"
      })
  void whatCannotBeIsRefused(String yaml) throws IOException {
    assertThat(Validators.newValidator().validate(read(yaml))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"instructions: %s", "projects: {shop: {instructions: %s}}"})
  void instructionsAreBounded(String yaml) throws IOException {
    assertThat(Validators.newValidator().validate(read(yaml.formatted("x".repeat(4_001)))))
        .hasSize(1);
  }

  private static void assertThresholds(
      ObservationSettings settings, String project, int messageTokens, int observationTokens) {
    ContextConfig config =
        new ContextSettings(settings, RecallSettings.defaults()).of(project, ThreadConfig.NONE);
    assertThat(config.messageTokens()).isEqualTo(messageTokens);
    assertThat(config.observationTokens()).isEqualTo(observationTokens);
  }

  private static ObservationSettings read(String yaml) throws IOException {
    return YAML.readValue(yaml, ObservationSettings.class);
  }
}
