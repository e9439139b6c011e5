package io.memorygateway.openapi;

import io.dropwizard.jersey.setup.JerseyEnvironment;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Wires the document, the page that shows it, and the root, and reads files of the jar. */
public final class OpenApi {
  private OpenApi() {}

  public static void install(JerseyEnvironment jersey) {
    jersey.register(new RootResource());
    jersey.register(new OpenApiResource());
    jersey.register(new DocsResource());
  }

  public static byte[] file(String path) {
    try (InputStream in = OpenApi.class.getResourceAsStream(path)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
