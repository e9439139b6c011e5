package io.memorygateway.openapi;

import io.dropwizard.jersey.setup.JerseyEnvironment;

/** Wires the document, the page that shows it, and the root. */
public final class OpenApi {
  private OpenApi() {}

  public static void install(JerseyEnvironment jersey) {
    jersey.register(new RootResource());
    jersey.register(new OpenApiResource());
    jersey.register(new DocsResource());
  }
}
