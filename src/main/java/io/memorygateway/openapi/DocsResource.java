package io.memorygateway.openapi;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;

/**
 * Resource of the page that shows the OpenAPI document to people (contract §9). It needs no key,
 * loads nothing from other sites, and is not in the document, since it is not part of the API.
 */
@Path("/docs")
public final class DocsResource {
  /** Nothing but this page's own files may be loaded, and no other page may frame it. */
  static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private final PublicFile page = new PublicFile("/docs/page.html");
  private final PublicFile script = new PublicFile("/docs/page.js");
  private final PublicFile style = new PublicFile("/docs/page.css");

  @GET
  @Produces("text/html;charset=utf-8")
  public Response page(@Context HttpHeaders request) {
    return of(page, request);
  }

  @GET
  @Path("page.js")
  @Produces("text/javascript;charset=utf-8")
  public Response script(@Context HttpHeaders request) {
    return of(script, request);
  }

  @GET
  @Path("page.css")
  @Produces("text/css;charset=utf-8")
  public Response style(@Context HttpHeaders request) {
    return of(style, request);
  }

  private static Response of(PublicFile file, HttpHeaders request) {
    return file.answer(request)
        // A new version of the gateway may bring another page.
        .header(HttpHeaders.CACHE_CONTROL, "no-cache")
        .header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .header("X-Content-Type-Options", "nosniff")
        .header("Referrer-Policy", "no-referrer")
        .build();
  }
}
