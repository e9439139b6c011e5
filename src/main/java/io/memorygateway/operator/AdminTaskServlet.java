package io.memorygateway.operator;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.core.setup.AdminEnvironment;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ErrorCatalogue;
import io.memorygateway.http.KnownCause;
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
        .addServlet(task.usage().name(), new AdminTaskServlet(task, json))
        .addMapping("/tasks/" + task.usage().name());
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Map<String, String> words = new LinkedHashMap<>();
    request.getParameterMap().forEach((word, values) -> words.put(word, values[0]));
    try {
      Object answer = task.execute(words);
      LOGGER.info("Admin task {} was carried out", task.usage().name());
      if (answer instanceof TextAnswer text) {
        write(response, 200, text.contentType(), text.text().getBytes(StandardCharsets.UTF_8));
      } else {
        write(response, 200, JSON_TYPE, json.writeValueAsBytes(answer));
      }
    } catch (RuntimeException e) {
      ApiError known = KnownCause.of(e, cause -> DatabaseFailure.of(cause).isOutage());
      if (known == null) {
        LOGGER.error("Admin task {} failed", task.usage().name(), e);
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
