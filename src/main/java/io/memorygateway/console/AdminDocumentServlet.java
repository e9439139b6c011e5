package io.memorygateway.console;

import com.google.common.base.Suppliers;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.function.Supplier;

/** Servlet of the OpenAPI document of the admin API. */
final class AdminDocumentServlet extends HttpServlet {
  static final String PATH = "/admin/openapi.json";

  private static final long serialVersionUID = 1;

  /** Generated for the first request: the start of a node need not wait for it. */
  private final transient Supplier<byte[]> document;

  AdminDocumentServlet(Collection<Class<?>> resources) {
    document =
        Suppliers.memoize(
            () -> AdminDocument.of(resources).toPrettyString().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    byte[] body = document.get();
    response.setContentType("application/json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
