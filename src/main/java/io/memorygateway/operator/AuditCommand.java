package io.memorygateway.operator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.Bootstrap;
import io.memorygateway.audit.AuditHead;
import io.memorygateway.audit.AuditReader;
import io.memorygateway.audit.AuditRowView;
import io.memorygateway.audit.AuditVerification;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import net.sourceforge.argparse4j.inf.Namespace;
import net.sourceforge.argparse4j.inf.Subparser;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * {@code audit export|verify … config.yml}: the audit log as lines of JSON, and whether it is
 * whole.
 */
public final class AuditCommand<C extends Configuration> extends DatabaseCommand<C> {
  private static final String ACTION = "action";
  private static final String EXPORT = "export";
  private static final String VERIFY = "verify";
  private static final List<Word> EXPORT_WORDS =
      List.of(
          Word.optional("after", "only rows behind the one with this number"),
          Word.optional("to", "file to write; standard output if left out"));
  private static final List<Word> VERIFY_WORDS =
      List.of(
          Word.optional("seq", "number of a row that was noted before, outside of the database"),
          Word.optional("hash", "its hash"));

  private final Function<C, Jdbi> open;
  private final PrintStream out;

  public AuditCommand(Class<C> configurationClass, Function<C, Jdbi> open, PrintStream out) {
    super("audit", "Export the audit log, and verify that nobody changed it", configurationClass);
    this.open = open;
    this.out = out;
  }

  @Override
  public void configure(Subparser command) {
    var actions = command.addSubparsers().dest(ACTION);
    actions.metavar("{export,verify}");
    addWords(actions.addParser(EXPORT).help("Write the rows as lines of JSON"), EXPORT_WORDS);
    addWords(
        actions.addParser(VERIFY).help("Find rows that were changed, removed or moved"),
        VERIFY_WORDS);
  }

  @Override
  protected List<Word> words(Namespace arguments) {
    return arguments.getString(ACTION).equals(EXPORT) ? EXPORT_WORDS : VERIFY_WORDS;
  }

  @Override
  protected void run(
      Bootstrap<?> bootstrap, C configuration, Namespace arguments, Map<String, String> given)
      throws IOException {
    Words words = new Words(given, words(arguments));
    @Nullable AuditHead noted = arguments.getString(ACTION).equals(VERIFY) ? noted(words) : null;
    AuditReader reader = new AuditReader(open.apply(configuration));
    ObjectMapper json = bootstrap.getObjectMapper();
    if (arguments.getString(ACTION).equals(EXPORT)) {
      export(reader, json, words);
    } else {
      verify(reader.verify(noted), json);
    }
  }

  private void export(AuditReader reader, ObjectMapper json, Words words) throws IOException {
    Long after = words.positive("after");
    String file = words.optional("to");
    if (file == null) {
      // Not closed: standard output belongs to the process.
      Writer target = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
      write(reader, after, json, target);
      target.flush();
      return;
    }
    try (Writer target = Files.newBufferedWriter(Path.of(file))) {
      write(reader, after, json, target);
    }
  }

  private static void write(
      AuditReader reader, @Nullable Long after, ObjectMapper json, Writer target) {
    reader.read(
        after == null ? 0 : after,
        row -> {
          try {
            target.write(json.writeValueAsString(AuditRowView.of(row)));
            target.write('\n');
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private void verify(AuditVerification.Report report, ObjectMapper json)
      throws JsonProcessingException {
    if (!report.faults().isEmpty()) {
      throw Words.wrong("The audit log is not whole: " + String.join("; ", report.faults()) + ".");
    }
    out.println(json.writerWithDefaultPrettyPrinter().writeValueAsString(report));
  }

  private static @Nullable AuditHead noted(Words words) {
    Long seq = words.positive("seq");
    String hash = words.optional("hash");
    if (seq == null && hash == null) {
      return null;
    }
    if (seq == null || hash == null || !hash.matches("[0-9a-f]{64}")) {
      throw Words.wrong("seq and hash go together, as 'audit verify' prints them.");
    }
    return new AuditHead(seq, hash);
  }
}
