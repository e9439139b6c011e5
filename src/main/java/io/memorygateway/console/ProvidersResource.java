package io.memorygateway.console;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.memorygateway.audit.Act;
import io.memorygateway.audit.AuditEntry.Outcome;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskRunner;
import io.memorygateway.proxy.own.CircuitState;
import io.memorygateway.proxy.own.ProviderAdmin;
import io.memorygateway.proxy.own.ProviderState;
import io.memorygateway.proxy.own.TestCall;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /admin/api/providers}: state of providers, test calls, and circuits. */
@Path("/")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.APPLICATION_JSON)
public record ProvidersResource(
    ProviderAdmin providers, ProviderReads reads, AuditLog log, TaskRunner acts) {
  private static final int MAX_MODEL_LENGTH = 255;

  /**
   * All providers.
   *
   * @param routes description of each, one line
   */
  public record Providers(List<ProviderView> providers, List<String> routes) {}

  /**
   * Provider as this node sees it, with the figures that all nodes logged.
   *
   * @param lastHour null, like recent, while the database does not serve
   */
  public record ProviderView(
      @JsonUnwrapped ProviderState state,
      ProviderReads.@Nullable LastHour lastHour,
      ProviderReads.@Nullable Recent recent) {}

  /**
   * Request for a test call.
   *
   * @param endpoint null: any that the provider serves
   */
  public record NewTest(@Nullable String model, @Nullable String endpoint) {}

  /**
   * Requested state of a circuit.
   *
   * @param state {@code open} or {@code closed}
   */
  public record NewState(
      @Nullable String provider, @Nullable String model, @Nullable String state) {}

  public record CircuitView(CircuitState circuit) {}

  @GET
  @Path("providers")
  @RequiredRole(Role.VIEWER)
  public Providers list() {
    ProviderReads.RecentCalls calls = reads.read();
    return new Providers(
        providers.list().stream().map(state -> view(state, calls)).toList(), providers.routes());
  }

  private static ProviderView view(ProviderState state, ProviderReads.@Nullable RecentCalls calls) {
    return calls == null
        ? new ProviderView(state, null, null)
        : new ProviderView(
            state,
            calls.lastHour().getOrDefault(state.name(), ProviderReads.LastHour.NONE),
            calls.recent().getOrDefault(state.name(), ProviderReads.Recent.NONE));
  }

  @POST
  @Path("providers/{name}/test")
  @RequiredRole(value = Role.OPERATOR, act = "provider-test")
  public TestCall test(
      @PathParam("name") String name,
      @Nullable NewTest wanted,
      @Context HttpServletRequest request) {
    if (wanted == null
        || wanted.model() == null
        || wanted.model().isBlank()
        || wanted.model().length() > MAX_MODEL_LENGTH) {
      throw ApiException.invalidRequest("model is required.");
    }
    Act act = new Act(log, ApiCaller.of(request).actor(), "provider-test");
    TestCall call = providers.test(name, wanted.model(), wanted.endpoint());
    Map<String, Object> outcome = new LinkedHashMap<>();
    outcome.put("model", call.model());
    outcome.put("endpoint", call.endpoint());
    outcome.put("ms", call.ms());
    if (call.status() != null) {
      outcome.put("status", call.status());
    }
    acts.record(act, name, call.ok() ? Outcome.DONE : Outcome.FAILED, null, outcome);
    return call;
  }

  @POST
  @Path("circuits")
  @RequiredRole(value = Role.OPERATOR, act = "circuit")
  public CircuitView setCircuit(@Nullable NewState wanted, @Context HttpServletRequest request) {
    if (wanted == null || wanted.provider() == null || wanted.model() == null) {
      throw ApiException.invalidRequest("provider and model are required.");
    }
    boolean open = "open".equals(wanted.state());
    if (!open && !"closed".equals(wanted.state())) {
      throw ApiException.invalidRequest("state must be open or closed.");
    }
    Act act = new Act(log, ApiCaller.of(request).actor(), "circuit");
    ProviderAdmin.CircuitChange change =
        providers.setCircuit(wanted.provider(), wanted.model(), open);
    acts.record(act, change.after().target(), Outcome.DONE, change.before(), change.after());
    return new CircuitView(change.after());
  }
}
