package io.memorygateway.console;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/** Servlet of the OpenAPI document of the admin API. */
final class AdminDocumentServlet extends HttpServlet {
  static final String PATH = "/admin/openapi.json";

  private static final long serialVersionUID = 1;

  private final byte[] document;

  AdminDocumentServlet(Collection<Class<?>> resources) {
    document = AdminDocument.of(resources).toPrettyString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setContentType("application/json");
    response.setContentLength(document.length);
    response.getOutputStream().write(document);
  }
}
