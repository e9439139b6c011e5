package io.memorygateway.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.core.setup.AdminEnvironment;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one {@link AdminTask}. Dropwizard's own task servlet can say neither 400 nor 404, and
 * answers in plain text.
 */
public final class AdminTaskServlet extends HttpServlet {
  private static final Logger LOGGER = LoggerFactory.getLogger(AdminTaskServlet.class);

  private static final String JSON_TYPE = "application/json";

  private final transient AdminTask task;
  private final transient ObjectMapper json;

  private AdminTaskServlet(AdminTask task, ObjectMapper json) {
    this.task = task;
    this.json = json;
  }

  public static void register(AdminEnvironment admin, AdminTask task, ObjectMapper json) {
    admin
        .addServlet(task.name(), new AdminTaskServlet(task, json))
        .addMapping("/tasks/" + task.name());
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Map<String, String> words = new LinkedHashMap<>();
    request.getParameterMap().forEach((word, values) -> words.put(word, values[0]));
    try {
      Object answer = task.execute(words);
      LOGGER.info("Admin task {} was carried out", task.name());
      if (answer instanceof TextAnswer text) {
        write(response, 200, text.contentType(), text.text().getBytes(StandardCharsets.UTF_8));
      } else {
        write(response, 200, JSON_TYPE, json.writeValueAsBytes(answer));
      }
    } catch (RuntimeException e) {
      ApiError known = KnownCause.of(e);
      if (known == null) {
        LOGGER.error("Admin task {} failed", task.name(), e);
      }
      write(response, known == null ? ErrorCatalogue.forStatus(500) : known);
    }
  }

  private static void write(HttpServletResponse response, ApiError error) throws IOException {
    if (error.retryAfterSeconds() != null) {
      response.setHeader("Retry-After", Long.toString(error.retryAfterSeconds()));
    }
    write(response, error.status(), JSON_TYPE, error.toJson());
  }

  private static void write(
      HttpServletResponse response, int status, String contentType, byte[] body)
      throws IOException {
    response.setStatus(status);
    response.setContentType(contentType);
    response.setHeader("Cache-Control", "no-store");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
