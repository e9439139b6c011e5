package io.memorygateway.operator;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.core.setup.Environment;
import io.memorygateway.audit.Actor;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorCatalogue;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.http.errors.ThrownErrors;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servlet of one {@link AdminTask}. Dropwizard's own task servlet can answer neither 400 nor 404,
 * and answers in plain text.
 */
public final class AdminTaskServlet extends HttpServlet {
  private static final Logger LOGGER = LoggerFactory.getLogger(AdminTaskServlet.class);

  /** Attribute of the servlet context that holds the runner of the tasks. */
  private static final String RUNNER = TaskRunner.class.getName();

  /** Attribute that holds the usages of the tasks by name, which {@code GET /tasks} lists. */
  private static final String USAGES = TaskUsage.class.getName();

  private static final String JSON_TYPE = "application/json";

  private final transient AdminTask task;
  private final transient ObjectMapper json;

  private AdminTaskServlet(AdminTask task, ObjectMapper json) {
    this.task = task;
    this.json = json;
  }

  public static void register(Environment environment, AdminTask task) {
    ServletRegistration.Dynamic servlet =
        environment
            .admin()
            .addServlet(
                task.usage().name(), new AdminTaskServlet(task, environment.getObjectMapper()));
    servlet.setLoadOnStartup(1);
    servlet.addMapping("/tasks/" + task.usage().name());
  }

  @Override
  @SuppressWarnings("unchecked") // set below
  public void init() {
    ((Map<String, TaskUsage>) getServletContext().getAttribute(USAGES))
        .put(task.usage().name(), task.usage());
  }

  static void runWith(ServletContextHandler context, TaskRunner runner) {
    context.getServletContext().setAttribute(RUNNER, runner);
    context.getServletContext().setAttribute(USAGES, new ConcurrentSkipListMap<>());
  }

  /** Servlet that lists the tasks with their parameters, instead of Dropwizard's own. */
  static final class Listing extends HttpServlet {
    private final transient ObjectMapper json;

    Listing(ObjectMapper json) {
      this.json = json;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      Map<?, ?> usages = (Map<?, ?>) getServletContext().getAttribute(USAGES);
      write(
          response,
          200,
          JSON_TYPE,
          json.writeValueAsBytes(Map.of("tasks", List.copyOf(usages.values()))));
    }
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    try {
      TaskRunner runner = (TaskRunner) getServletContext().getAttribute(RUNNER);
      AdminCaller caller = caller(request);
      Actor actor = actor(caller, request);
      Map<String, String> parameters;
      try {
        parameters = parameters(request);
      } catch (RuntimeException e) {
        runner.requireRole(task, Map.of(), actor, caller.role());
        throw e;
      }
      Object answer = runner.run(task, parameters, actor, caller.role());
      if (answer instanceof TextAnswer text) {
        write(response, 200, text.contentType(), text.text().getBytes(StandardCharsets.UTF_8));
      } else {
        write(response, 200, JSON_TYPE, json.writeValueAsBytes(answer));
      }
    } catch (RuntimeException e) {
      ApiError known = ThrownErrors.known(e, cause -> DatabaseFailure.of(cause).isOutage());
      if (known == null) {
        LOGGER.error("Admin task {} failed", task.usage().name(), e);
      }
      write(response, known == null ? ErrorCatalogue.forStatus(500) : known);
    }
  }

  /**
   * Throws what is answered with 400 if they cannot be read, or one is given twice, and with 415 if
   * some are in a body of another type than a form, where nobody would see them.
   */
  private static Map<String, String> parameters(HttpServletRequest request) throws IOException {
    Map<String, List<String>> all = new LinkedHashMap<>();
    request.getParameterMap().forEach((name, values) -> all.put(name, List.of(values)));
    // Of a form, nothing is left to be read.
    if (request.getInputStream().read() >= 0) {
      throw ApiException.of(
          415,
          ErrorType.INVALID_REQUEST,
          "The parameters of a task are in its query, or in a form: application/x-www-form-urlencoded.");
    }
    return ParameterValues.once(all);
  }

  /**
   * The caller of a request; always present, since the login in front lets only known callers pass.
   */
  private static AdminCaller caller(HttpServletRequest request) {
    if (request.getAttribute(AdminCaller.ATTRIBUTE) instanceof AdminCaller caller) {
      return caller;
    }
    throw new ApiException(ErrorCatalogue.forStatus(403));
  }

  private static Actor actor(AdminCaller caller, HttpServletRequest request) {
    return new Actor(
        caller.name(),
        caller.role().wireName(),
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
