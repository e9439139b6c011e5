package io.memorygateway.transfer;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.Bootstrap;
import io.memorygateway.audit.Act;
import io.memorygateway.audit.AuditEntry;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.database.Transactions;
import io.memorygateway.operator.CommandActor;
import io.memorygateway.operator.DatabaseCommand;
import io.memorygateway.operator.Word;
import io.memorygateway.operator.Words;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FilterOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import net.sourceforge.argparse4j.inf.Namespace;
import net.sourceforge.argparse4j.inf.Subparser;
import org.jdbi.v3.core.Jdbi;

/** {@code thread export|import … config.yml}: threads as lines of JSON, without loss. */
public final class ThreadCommand<C extends Configuration> extends DatabaseCommand<C> {
  private static final String ACTION = "action";
  private static final String EXPORT = "export";
  private static final String IMPORT = "import";
  private static final Word PROJECT = Word.required("project", "name of the project");
  private static final List<Word> EXPORT_WORDS =
      List.of(
          PROJECT,
          Word.optional("thread", "only the thread with this id"),
          Word.optional("resource", "only threads of this resource"),
          Word.optional("to", "file to write; standard output if left out"));
  private static final List<Word> IMPORT_WORDS =
      List.of(
          PROJECT,
          Word.optional("from", "file to read; standard input if left out"),
          Word.optional("existing", "threads that are there already: fail (if left out) or skip"));

  private final Function<C, Jdbi> open;
  private final InputStream in;
  private final PrintStream out;

  public ThreadCommand(
      Class<C> configurationClass, Function<C, Jdbi> open, InputStream in, PrintStream out) {
    super("thread", "Export threads to a file and import them", configurationClass);
    this.open = open;
    this.in = in;
    this.out = out;
  }

  @Override
  public void configure(Subparser command) {
    var actions = command.addSubparsers().dest(ACTION);
    actions.metavar("{export,import}");
    addWords(actions.addParser(EXPORT).help("Write threads as lines of JSON"), EXPORT_WORDS);
    addWords(actions.addParser(IMPORT).help("Read what export wrote"), IMPORT_WORDS);
  }

  @Override
  protected List<Word> words(Namespace arguments) {
    return arguments.getString(ACTION).equals(EXPORT) ? EXPORT_WORDS : IMPORT_WORDS;
  }

  @Override
  protected void run(
      Bootstrap<?> bootstrap, C configuration, Namespace arguments, Map<String, String> given)
      throws Exception {
    Words words = new Words(given, words(arguments));
    Jdbi jdbi = open.apply(configuration);
    long project =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery("SELECT id FROM projects WHERE name = :name")
                    .bind("name", words.required("project"))
                    .mapTo(Long.class)
                    .findOne()
                    .orElseThrow(
                        () -> Words.wrong("There is no such project; issue a key for it first.")));
    boolean exports = arguments.getString(ACTION).equals(EXPORT);
    Act act =
        new Act(
            new AuditLog(Transactions.ofOperators(jdbi)),
            CommandActor.current(),
            exports ? "thread-export" : "thread-import");
    // Recorded however it ends: an export has shown threads, and an import stored some, before it
    // failed.
    AuditEntry.Outcome outcome = AuditEntry.Outcome.FAILED;
    Map<String, Object> done = new TreeMap<>(given);
    try {
      done.put(
          "report",
          exports
              ? Map.of("threads", export(new ThreadExport(jdbi), project, words))
              : read(jdbi, project, words, bootstrap.getObjectMapper()));
      outcome = AuditEntry.Outcome.DONE;
    } finally {
      act.record(words.required("project"), outcome, null, done);
    }
  }

  private long export(ThreadExport export, long project, Words words) throws Exception {
    String file = words.optional("to");
    try (OutputStream target =
        new BufferedOutputStream(file == null ? kept(out) : Files.newOutputStream(Path.of(file)))) {
      long threads =
          export.write(project, words.optional("thread"), words.optional("resource"), target);
      if (threads == 0 && words.optional("thread") != null) {
        throw Words.wrong("There is no such thread in the project.");
      }
      return threads;
    }
  }

  /** Stream that leaves its target open: standard output belongs to the process. */
  private static OutputStream kept(PrintStream target) {
    return new FilterOutputStream(target) {
      @Override
      public void write(byte[] bytes, int offset, int length) {
        target.write(bytes, offset, length);
      }

      @Override
      public void close() {
        target.println();
        target.flush();
      }
    };
  }

  private ThreadImport.Report read(Jdbi jdbi, long project, Words words, ObjectMapper json)
      throws Exception {
    String existing = words.oneOf("existing", List.of("fail", "skip"));
    String file = words.optional("from");
    try (InputStream source = file == null ? in : Files.newInputStream(Path.of(file))) {
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(source, StandardCharsets.UTF_8));
      ThreadImport.Report report =
          new ThreadImport(jdbi, "skip".equals(existing)).read(project, lines);
      out.println(json.writeValueAsString(report));
      return report;
    } catch (NoSuchFileException e) {
      throw Words.wrong("There is no file " + file + ".");
    }
  }
}
