package io.memorygateway.operator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.core.Configuration;
import io.memorygateway.audit.AuditHead;
import io.memorygateway.audit.AuditReader;
import io.memorygateway.audit.AuditVerification;
import io.memorygateway.database.SqlObjects;
import io.memorygateway.http.errors.ApiException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Command {@code audit export|verify … config.yml}: exports the audit log as lines of JSON, or
 * verifies its chain.
 */
public final class AuditCommand<C extends Configuration> extends DatabaseCommand<C> {
  private static final TaskUsage EXPORT =
      TaskUsage.of(
          "export",
          "Write the rows as lines of JSON",
          List.of(
              Parameter.optional("after", "only rows behind the one with this number"),
              Parameter.optional("to", "file to write; standard output if left out")));
  private static final TaskUsage VERIFY =
      TaskUsage.of(
          "verify",
          "Find rows that were changed, removed or moved",
          List.of(
              Parameter.optional(
                  "seq", "number of a row that was noted before, outside of the database"),
              Parameter.optional("hash", "its hash")));

  private final Function<C, Jdbi> open;
  private final PrintStream out;

  public AuditCommand(Function<C, Jdbi> open, PrintStream out) {
    super(
        "audit",
        "Export the audit log, and verify that nobody changed it",
        List.of(EXPORT, VERIFY),
        true);
    this.open = open;
    this.out = out;
  }

  @Override
  protected void runRemotely(RemoteGateway gateway, Call call)
      throws InterruptedException, JsonProcessingException {
    ParameterValues values = call.values();
    if (call.usage().equals(VERIFY)) {
      verify(new RemoteAudit(gateway).verify(noted(values)), call.json());
      return;
    }
    Long after = values.positive("after");
    String file = values.optional("to");
    gateway.copy(
        "GET",
        "/audit/export",
        after == null ? Map.of() : Map.of("after", after.toString()),
        () -> CommandOutput.open(file, out));
  }

  @Override
  protected void run(C configuration, Call call) throws IOException {
    ParameterValues values = call.values();
    @Nullable AuditHead noted = call.usage().equals(VERIFY) ? noted(values) : null;
    try (Handle handle = open.apply(configuration).open()) {
      AuditReader reader = new AuditReader(SqlObjects.install(Jdbi.create(handle.getConnection())));
      if (call.usage().equals(EXPORT)) {
        try (CommandOutput target = CommandOutput.open(values.optional("to"), out)) {
          reader.export(values.positive("after"), call.json(), target);
          target.finish();
        }
      } else {
        verify(reader.verify(AuditHead.EMPTY, noted, () -> true).report(), call.json());
      }
    }
  }

  private void verify(AuditVerification.Report report, ObjectMapper json)
      throws JsonProcessingException {
    if (!report.faults().isEmpty()) {
      throw ApiException.invalidRequest(
          "The audit log is not whole: " + String.join("; ", report.faults()) + ".");
    }
    out.println(json.writerWithDefaultPrettyPrinter().writeValueAsString(report));
  }

  private static @Nullable AuditHead noted(ParameterValues values) {
    Long seq = values.positive("seq");
    String hash = values.optional("hash");
    if (seq == null && hash == null) {
      return null;
    }
    if (seq == null || hash == null || !hash.matches("[0-9a-f]{64}")) {
      throw ApiException.invalidRequest("seq and hash go together, as 'audit verify' prints them.");
    }
    return new AuditHead(seq, hash);
  }
}
