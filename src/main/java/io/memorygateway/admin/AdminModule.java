package io.memorygateway.admin;

import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.jetty.HttpConnectorFactory;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.auth.FailedAttempts;
import io.memorygateway.database.DatabaseClock;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.operator.AdminCaller;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.AdminTaskServlet;
import io.memorygateway.operator.Role;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.MappingMatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Wires the login of the admin port, and the tasks for its tokens. */
public final class AdminModule {
  private static final AdminCaller ANYBODY = new AdminCaller("anybody", Role.OWNER);

  /** Threads of the admin port where the server is of another type. */
  private static final int MAX_THREADS = 64;

  /** As long as reports wait for a connection. */
  private static final Duration READ_WAIT = Duration.ofSeconds(2);

  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");
  private static final ApiError FORBIDDEN =
      ApiError.of(403, ErrorType.INVALID_REQUEST, "Only the role owner may do this.");

  private AdminModule() {}

  /** Installs the login; to be called before {@code http.AdminPort} puts its guard in front. */
  public static void install(
      AdminAuthConfiguration configuration,
      Transactions transactions,
      ServerFactory serverFactory,
      AuditLog audit,
      PrometheusRegistry registry,
      Clock clock,
      Environment environment) {
    AdminTokens tokens = new AdminTokens(transactions, clock, new SecureRandom());
    Counter refused =
        Counter.builder()
            .name("memory_gateway_admin_logins_refused_total")
            .help("Requests to the admin port without a good login.")
            .labelNames("reason")
            .register(registry);
    environment
        .getAdminContext()
        .insertHandler(
            new AdminShares(
                serverFactory instanceof DefaultServerFactory factory
                    ? factory.getAdminMaxThreads()
                    : MAX_THREADS,
                READ_WAIT));
    environment
        .getAdminContext()
        .insertHandler(
            new AdminLogin(
                authenticators(configuration, tokens, clock),
                configuration::isOpen,
                configuration.mode() == AdminAuthMode.BASIC
                    ? "Basic realm=\"Memory Gateway\", charset=\"UTF-8\""
                    : "Bearer",
                new FailedAttempts(configuration.failuresPerMinute(), System::nanoTime),
                audit,
                refused));
    environment
        .admin()
        .addFilter("foreign-tasks", AdminModule::ownersOnly)
        .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/*");
    for (AdminTokenAction action : AdminTokenAction.values()) {
      AdminTaskServlet.register(environment, new AdminTokenTask(action, tokens));
    }
  }

  /**
   * Restricts Dropwizard's servlets, which check no role: everything but reading is for owners. The
   * gateway's own tasks, which have a servlet each, under an exact path, and the resources of the
   * admin API check roles themselves.
   */
  private static void ownersOnly(
      ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest http = (HttpServletRequest) request;
    HttpServletMapping mapping = http.getHttpServletMapping();
    boolean own =
        mapping.getMappingMatch() == MappingMatch.EXACT
            || mapping.getPattern().equals("/admin/api/*");
    boolean owner =
        request.getAttribute(AdminCaller.ATTRIBUTE) instanceof AdminCaller caller
            && caller.role().includes(Role.OWNER);
    if (own || owner || SAFE.contains(http.getMethod())) {
      chain.doFilter(request, response);
      return;
    }
    byte[] body = FORBIDDEN.toJson();
    HttpServletResponse answer = (HttpServletResponse) response;
    answer.setStatus(FORBIDDEN.status());
    answer.setContentType("application/json");
    answer.setContentLength(body.length);
    answer.getOutputStream().write(body);
  }

  /** Creates a task on tokens for the command line. */
  public static AdminTask tokenTask(AdminTokenAction action, Transactions transactions) {
    return new AdminTokenTask(
        action, new AdminTokens(transactions, DatabaseClock.of(transactions), new SecureRandom()));
  }

  private static List<AdminAuthenticator> authenticators(
      AdminAuthConfiguration configuration, AdminTokens tokens, Clock clock) {
    List<AdminAuthenticator> authenticators = new ArrayList<>();
    if (configuration.mode() == AdminAuthMode.NONE) {
      authenticators.add((credentials, throttle) -> ANYBODY);
      return authenticators;
    }
    if (configuration.mode() == AdminAuthMode.BASIC) {
      authenticators.add(new BasicAuthenticator(configuration.users(), new SecureRandom()));
    }
    if (configuration.headers() != null) {
      authenticators.add(new HeaderAuthenticator(configuration.headers()));
    }
    // The last: a proxy may pass on a bearer token of its own.
    authenticators.add(new TokenAuthenticator(tokens::find, clock, System::nanoTime));
    return authenticators;
  }

  /** Whether only this machine can reach the admin port. */
  public static boolean isOnLoopback(ServerFactory serverFactory) {
    return serverFactory instanceof DefaultServerFactory factory
        && factory.getAdminConnectors().stream()
            .allMatch(
                connector ->
                    connector instanceof HttpConnectorFactory http
                        && isLoopback(http.getBindHost()));
  }

  private static boolean isLoopback(@Nullable String host) {
    try {
      return host != null && InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
