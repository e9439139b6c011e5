package io.memorygateway.console;

import io.memorygateway.openapi.PublicFile;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Servlet of the OpenAPI document of the admin API. */
final class AdminDocumentServlet extends HttpServlet {
  static final String PATH = "/admin/openapi.json";

  private final transient byte[] document = PublicFile.bytes("/openapi/admin-openapi.json");

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setContentType("application/json");
    response.setContentLength(document.length);
    response.getOutputStream().write(document);
  }
}
