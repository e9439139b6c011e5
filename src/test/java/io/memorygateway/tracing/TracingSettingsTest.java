package io.memorygateway.tracing;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What OpenTelemetry's variables of the environment mean. */
class TracingSettingsTest {
  @Test
  void isOffUnlessACollectorIsNamed() {
    assertThat(TracingSettings.of(Map.of())).isNull();
    assertThat(TracingSettings.of(Map.of("OTEL_SERVICE_NAME", "x"))).isNull();
    assertThat(TracingSettings.of(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", " "))).isNull();
    assertThat(TracingSettings.of(on("OTEL_SDK_DISABLED", "true"))).isNull();
    assertThat(TracingSettings.of(on("OTEL_TRACES_EXPORTER", "none"))).isNull();
  }

  @Test
  void hasTheUsualDefaults() {
    TracingSettings settings = requireNonNull(TracingSettings.of(on("X", "y")));
    assertThat(settings.endpoint()).hasToString("http://c:4318/v1/traces");
    assertThat(settings.sampler()).isEqualTo("parentbased_always_on");
    assertThat(settings.serviceName()).isEqualTo("memory-gateway");
    assertThat(settings.queueSize()).isEqualTo(2_048);
    assertThat(settings.captureContents()).isFalse();
  }

  @Test
  void theCertificatesThatAreTrustedAreReadByTheCheck(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("ca.pem");
    assertThatThrownBy(
            () -> TracingModule.check(on("OTEL_EXPORTER_OTLP_CERTIFICATE", file.toString())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("OTEL_EXPORTER_OTLP_CERTIFICATE: the file cannot be read: " + file);
    Files.writeString(file, "zebra");
    assertThatThrownBy(
            () -> TracingModule.check(on("OTEL_EXPORTER_OTLP_CERTIFICATE", file.toString())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("OTEL_EXPORTER_OTLP_CERTIFICATE: the file holds no certificates");
  }

  @Test
  void whatIsSaidOfTracesGoesBeforeWhatIsSaidOfAll() {
    Map<String, String> environment = on("OTEL_EXPORTER_OTLP_HEADERS", "a=1");
    environment.put("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "authorization=Bearer%20x+y,b=2");
    environment.put("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://c/otlp");
    TracingSettings settings = requireNonNull(TracingSettings.of(environment));
    assertThat(settings.endpoint()).hasToString("https://c/otlp");
    assertThat(settings.headers())
        .containsOnly(Map.entry("authorization", "Bearer x+y"), Map.entry("b", "2"));
    assertThat(settings.toString()).doesNotContain("Bearer");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "OTEL_EXPORTER_OTLP_ENDPOINT      | collector:4318          | must be the URL",
        "OTEL_EXPORTER_OTLP_ENDPOINT      | ftp://c                 | must be the URL",
        "OTEL_EXPORTER_OTLP_PROTOCOL      | grpc                    | must be http/protobuf",
        "OTEL_EXPORTER_OTLP_COMPRESSION   | zip                     | must be gzip or none",
        "OTEL_EXPORTER_OTLP_TIMEOUT       | 10s                     | must be a number",
        "OTEL_EXPORTER_OTLP_HEADERS       | secret                  | must be name=value",
        "OTEL_TRACES_SAMPLER              | parent_based            | must be always_off or",
        "OTEL_TRACES_SAMPLER_ARG          | 10                      | from 0 to 1",
        "OTEL_TRACES_EXPORTER             | jaeger                  | must be none or otlp",
        "OTEL_SDK_DISABLED                | yes                     | must be false or true",
        "OTEL_BSP_MAX_QUEUE_SIZE          | 1000000000              | must be a number",
        "OTEL_BSP_MAX_EXPORT_BATCH_SIZE   | 4096                    | from 1 to 2048",
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT | on    | must be false or true",
      })
  void aTypoFailsTheStart(String name, String value, String fault) {
    assertThatThrownBy(() -> TracingSettings.of(on(name, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(name + ": ")
        .hasMessageContaining(fault)
        .hasMessageNotContaining("secret");
  }

  private static Map<String, String> on(String name, String value) {
    Map<String, String> environment = new HashMap<>();
    environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318");
    environment.put(name, value);
    return environment;
  }
}
