package io.memorygateway.console;

import io.memorygateway.audit.Act;
import io.memorygateway.audit.AuditEntry.Outcome;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.auth.Caller;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.write.Threads;
import io.memorygateway.operator.Role;
import io.memorygateway.transfer.ThreadExport;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code /admin/api/projects/{project}/export}: threads as lines of JSON, in the format of the
 * command {@code thread export}. The export is recorded in the audit log before the first byte; it
 * is a POST because it changes that log.
 */
@Path("/projects/{project}")
@Produces({RunningExports.TYPE, MediaType.APPLICATION_JSON})
public final class ExportResource {
  private final Projects projects;
  private final Threads threads;
  private final ThreadExport export;
  private final AuditLog log;
  private final RunningExports exports = new RunningExports("threads.ndjson");

  ExportResource(Projects projects, Threads threads, ThreadExport export, AuditLog log) {
    this.projects = projects;
    this.threads = threads;
    this.export = export;
    this.log = log;
  }

  @POST
  @Path("/threads/{thread}/export")
  @RequiredRole(value = Role.OPERATOR, act = "thread-export")
  public Response thread(
      @PathParam("project") String project,
      @PathParam("thread") String thread,
      @Context HttpServletRequest request) {
    Caller caller = projects.caller(project);
    var unused = threads.get(caller, Identifier.check("thread", thread), null);
    return export(caller, thread, null, request);
  }

  @POST
  @Path("/export")
  @RequiredRole(value = Role.OPERATOR, act = "thread-export")
  public Response threads(
      @PathParam("project") String project,
      @QueryParam("resourceId") @Nullable String resourceId,
      @Context HttpServletRequest request) {
    return export(projects.caller(project), null, Identifier.checkIfGiven(resourceId), request);
  }

  private Response export(
      Caller caller,
      @Nullable String thread,
      @Nullable String resourceId,
      HttpServletRequest request) {
    ApiCaller operator = ApiCaller.of(request);
    exports.check(operator);
    Map<String, String> what = new TreeMap<>();
    if (thread != null) {
      what.put("thread", thread);
    }
    if (resourceId != null) {
      what.put("resourceId", resourceId);
    }
    new Act(log, operator.actor(), "thread-export")
        .record(caller.projectName(), Outcome.DONE, null, what);
    return exports.response(
        operator,
        out -> {
          try {
            export.write(caller.projectId(), thread, resourceId, out);
          } catch (IOException | RuntimeException e) {
            throw e;
          } catch (Exception e) {
            throw new IOException("the export broke off", e);
          }
        });
  }
}
