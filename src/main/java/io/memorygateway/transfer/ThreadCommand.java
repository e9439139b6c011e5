package io.memorygateway.transfer;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.core.Configuration;
import io.memorygateway.audit.Act;
import io.memorygateway.audit.AuditEntry;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.CommandActor;
import io.memorygateway.operator.CommandOutput;
import io.memorygateway.operator.DatabaseCommand;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.RemoteGateway;
import io.memorygateway.operator.TaskUsage;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jdbi.v3.core.Jdbi;

/**
 * Command {@code thread export|import … config.yml}: exports or imports threads as lines of JSON,
 * without loss.
 */
public final class ThreadCommand<C extends Configuration> extends DatabaseCommand<C> {
  private static final Parameter PROJECT = Parameter.required("project", "name of the project");
  private static final TaskUsage EXPORT =
      TaskUsage.of(
          "export",
          "Write threads as lines of JSON",
          List.of(
              PROJECT,
              Parameter.optional("thread", "only the thread with this id"),
              Parameter.optional("resource", "only threads of this resource"),
              Parameter.optional("to", "file to write; standard output if left out")));
  private static final TaskUsage IMPORT =
      TaskUsage.of(
          "import",
          "Read what export wrote",
          List.of(
              PROJECT,
              Parameter.optional("from", "file to read; standard input if left out"),
              Parameter.optional(
                  "existing", "threads that are there already: fail (if left out) or skip")));

  private final Function<C, Jdbi> open;
  private final PrintStream out;

  public ThreadCommand(Function<C, Jdbi> open, PrintStream out) {
    super("thread", "Export threads to a file and import them", List.of(EXPORT, IMPORT), true);
    this.open = open;
    this.out = out;
  }

  @Override
  protected void runRemotely(RemoteGateway gateway, Call call) throws InterruptedException {
    if (call.usage().equals(IMPORT)) {
      throw ApiException.invalidRequest(
          "thread import writes rows into the database itself, which an admin port does not do:"
              + " run it without --url, with the configuration of a node.");
    }
    ParameterValues values = call.values();
    String thread = values.optional("thread");
    String resource = values.optional("resource");
    if (thread != null && resource != null) {
      throw ApiException.invalidRequest("With --url, give thread or resource, but not both.");
    }
    String project = "/projects/" + RemoteGateway.encoded(values.required("project"));
    String file = values.optional("to");
    gateway.copy(
        "POST",
        project + (thread == null ? "" : "/threads/" + RemoteGateway.encoded(thread)) + "/export",
        resource == null ? Map.of() : Map.of("resourceId", resource),
        () -> CommandOutput.open(file, out));
  }

  @Override
  protected void run(C configuration, Call call) throws Exception {
    ParameterValues values = call.values();
    Jdbi jdbi = open.apply(configuration);
    long project =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery("SELECT id FROM projects WHERE name = :name")
                    .bind("name", values.required("project"))
                    .mapTo(Long.class)
                    .findOne()
                    .orElseThrow(
                        () ->
                            ApiException.invalidRequest(
                                "There is no such project; issue a key for it first.")));
    boolean exports = call.usage().equals(EXPORT);
    Act act =
        new Act(
            new AuditLog(Transactions.ofOperators(jdbi)),
            CommandActor.current(),
            exports ? "thread-export" : "thread-import");
    // Recorded after a failure, too: an export may have shown threads, and an import stored some,
    // before it.
    AuditEntry.Outcome outcome = AuditEntry.Outcome.FAILED;
    Map<String, Object> done = new TreeMap<>(call.given());
    try {
      done.put(
          "report",
          exports
              ? Map.of("threads", export(new ThreadExport(jdbi), project, values))
              : read(jdbi, project, values, call.json()));
      outcome = AuditEntry.Outcome.DONE;
    } finally {
      act.record(values.required("project"), outcome, null, done);
    }
  }

  private long export(ThreadExport export, long project, ParameterValues values) throws Exception {
    try (CommandOutput target = CommandOutput.open(values.optional("to"), out)) {
      long threads =
          export.write(project, values.optional("thread"), values.optional("resource"), target);
      if (threads == 0 && values.optional("thread") != null) {
        throw ApiException.invalidRequest("There is no such thread in the project.");
      }
      target.finish();
      return threads;
    }
  }

  private ThreadImport.Report read(
      Jdbi jdbi, long project, ParameterValues values, ObjectMapper json) throws Exception {
    String existing = values.oneOf("existing", List.of("fail", "skip"));
    String file = values.optional("from");
    Path source = file == null ? Files.createTempFile("thread-import", ".jsonl") : Path.of(file);
    try {
      if (file == null) {
        // Not by Files.copy, which would make another file, for everybody to read.
        try (OutputStream spool = Files.newOutputStream(source)) {
          System.in.transferTo(spool);
        }
      }
      ThreadImport.Report report =
          new ThreadImport(jdbi, "skip".equals(existing)).read(project, source);
      out.println(json.writeValueAsString(report));
      return report;
    } catch (NoSuchFileException e) {
      throw ApiException.invalidRequest("There is no file " + file + ".");
    } finally {
      if (file == null) {
        Files.delete(source);
      }
    }
  }
}
