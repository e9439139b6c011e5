package io.memorygateway.tracing;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.lifecycle.Managed;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.resources.ResourceBuilder;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.servlet.DispatcherType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Wires tracing. */
public final class TracingModule {
  private static final String SCOPE = "io.memorygateway";

  /** Longest wait for queued spans when the node stops. */
  private static final long STOP_TIMEOUT_SECONDS = 3;

  private static final String BY_PARENT = "parentbased_";

  private TracingModule() {}

  /**
   * Checks the variables of the environment, and the file that they name.
   *
   * @throws IllegalArgumentException with a one-line message for the operator
   */
  public static void check(Map<String, String> variables) {
    TracingSettings settings = TracingSettings.of(variables);
    if (settings != null) {
      exporter(settings).close();
    }
  }

  /**
   * Installs tracing of requests, if the environment turns it on. To be called before filters that
   * answer are installed.
   *
   * @param variables of the environment
   * @param version of this gateway
   * @param probePath path of the load balancers' readiness probe: not traced
   * @throws IllegalArgumentException with a one-line message for the operator, if a variable is
   *     invalid
   */
  public static Tracing install(
      Map<String, String> variables,
      String version,
      String probePath,
      PrometheusRegistry registry,
      Environment environment) {
    TracingSettings settings = TracingSettings.of(variables);
    if (settings == null) {
      return Tracing.off();
    }
    SdkTracerProvider provider = provider(settings, version, registry);
    environment
        .lifecycle()
        .manage(
            new Managed() {
              @Override
              public void stop() {
                CompletableResultCode unused =
                    provider.shutdown().join(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
              }
            });
    Tracer tracer = provider.get(SCOPE, version);
    environment
        .servlets()
        .addFilter("tracing", new RequestSpans(tracer, probePath))
        .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
    return new Tracing(tracer, settings.captureContents());
  }

  private static SdkTracerProvider provider(
      TracingSettings settings, String version, PrometheusRegistry registry) {
    ResourceBuilder resource = Resource.getDefault().toBuilder();
    settings.resource().forEach((name, value) -> resource.put(AttributeKey.stringKey(name), value));
    resource.put(AttributeKey.stringKey("service.name"), settings.serviceName());
    resource.put(AttributeKey.stringKey("service.version"), version);
    SpanQueue queue = new SpanQueue(settings, exporter(settings), registry);
    return SdkTracerProvider.builder()
        .setResource(resource.build())
        .setSampler(queue.sampler(sampler(settings)))
        .addSpanProcessor(queue)
        .build();
  }

  private static OtlpHttpSpanExporter exporter(TracingSettings settings) {
    OtlpHttpSpanExporterBuilder exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(settings.endpoint().toString())
            .setTimeout(settings.timeout())
            .setCompression(settings.gzip() ? "gzip" : "none");
    settings.headers().forEach(exporter::addHeader);
    String certificate = settings.certificateFile();
    if (certificate != null) {
      exporter.setTrustedCertificates(certificates(certificate));
    }
    return exporter.build();
  }

  private static byte[] certificates(String file) {
    try {
      byte[] content = Files.readAllBytes(Path.of(file));
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(content));
      if (found.isEmpty()) {
        throw new CertificateException("none");
      }
      return content;
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "OTEL_EXPORTER_OTLP_CERTIFICATE: the file cannot be read: " + file, e);
    } catch (CertificateException e) {
      throw new IllegalArgumentException(
          "OTEL_EXPORTER_OTLP_CERTIFICATE: the file holds no certificates in PEM: " + file, e);
    }
  }

  private static Sampler sampler(TracingSettings settings) {
    boolean byParent = settings.sampler().startsWith(BY_PARENT);
    String own = byParent ? settings.sampler().substring(BY_PARENT.length()) : settings.sampler();
    Sampler root =
        switch (own) {
          case "always_on" -> Sampler.alwaysOn();
          case "always_off" -> Sampler.alwaysOff();
          default -> Sampler.traceIdRatioBased(settings.ratio());
        };
    return byParent ? Sampler.parentBased(root) : root;
  }
}
