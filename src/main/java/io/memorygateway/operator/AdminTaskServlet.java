package io.memorygateway.operator;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.core.setup.AdminEnvironment;
import io.memorygateway.audit.Actor;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.ErrorCatalogue;
import io.memorygateway.http.KnownCause;
import io.memorygateway.http.RequestId;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one {@link AdminTask}. Dropwizard's own task servlet can say neither 400 nor 404, and
 * answers in plain text.
 */
public final class AdminTaskServlet extends HttpServlet {
  private static final Logger LOGGER = LoggerFactory.getLogger(AdminTaskServlet.class);

  /** Attribute of the context that holds what runs the tasks. */
  private static final String RUNNER = TaskRunner.class.getName();

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

  /** Has the tasks of a context run by that runner. */
  static void runWith(ServletContextHandler context, TaskRunner runner) {
    context.getServletContext().setAttribute(RUNNER, runner);
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Map<String, String> words = new LinkedHashMap<>();
    request.getParameterMap().forEach((word, values) -> words.put(word, values[0]));
    try {
      TaskRunner runner = (TaskRunner) getServletContext().getAttribute(RUNNER);
      AdminCaller caller = caller(request);
      Object answer = runner.run(task, words, actor(caller, request), caller.role());
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

  /** Nobody gets here without: what stands in front lets only known callers past. */
  private static AdminCaller caller(HttpServletRequest request) {
    if (request.getAttribute(AdminCaller.ATTRIBUTE) instanceof AdminCaller caller) {
      return caller;
    }
    throw new ApiException(ErrorCatalogue.forStatus(403));
  }

  private static Actor actor(AdminCaller caller, HttpServletRequest request) {
    return new Actor(
        caller.name(),
        caller.role().word(),
        request.getRemoteAddr(),
        request.getAttribute(RequestId.ATTRIBUTE) instanceof String id ? id : null);
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
