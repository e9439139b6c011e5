package io.memorygateway.auth;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.Bootstrap;
import io.memorygateway.cli.DatabaseCommand;
import io.memorygateway.cli.Terminal;
import io.memorygateway.cli.Word;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import net.sourceforge.argparse4j.inf.Argument;
import net.sourceforge.argparse4j.inf.Namespace;
import net.sourceforge.argparse4j.inf.Subparser;

/**
 * {@code key issue|list|rotate|revoke|limits … config.yml}. Prints JSON, or a table on a terminal,
 * and nothing else on standard output.
 */
public final class KeyCommand<C extends Configuration> extends DatabaseCommand<C> {
  private static final String ACTION = "action";

  private final Function<C, OpenKeys> open;
  private final PrintStream out;

  /** The keys of the configured database, and what goes with them; closed when the command ends. */
  public interface OpenKeys extends AutoCloseable {
    ApiKeys keys();

    /** Names of the rate-limit rules. */
    Set<String> rules();

    @Override
    void close();
  }

  public KeyCommand(Class<C> configurationClass, Function<C, OpenKeys> open, PrintStream out) {
    super("key", "Issue, list, rotate, revoke and limit API keys", configurationClass);
    this.open = open;
    this.out = out;
  }

  @Override
  public void configure(Subparser command) {
    for (KeyAction action : KeyAction.values()) {
      Subparser parser =
          command.addSubparsers().dest(ACTION).addParser(action.word()).help(action.help());
      parser.description(action.help());
      for (String word : action.allWords()) {
        Argument argument = parser.addArgument("--" + word).dest(word);
        argument.required(action.required().contains(word));
      }
      parser
          .addArgument("--json")
          .dest("json")
          .action(net.sourceforge.argparse4j.impl.Arguments.storeTrue())
          .help("JSON, even on a terminal");
      parser.addArgument("file").nargs("?").help("application configuration file");
    }
  }

  @Override
  protected List<Word> words(Namespace arguments) {
    return action(arguments).allWords().stream().map(word -> Word.optional(word, "")).toList();
  }

  private static KeyAction action(Namespace arguments) {
    return KeyAction.valueOf(arguments.getString(ACTION).toUpperCase(Locale.ROOT));
  }

  @Override
  protected void run(
      Bootstrap<?> bootstrap, C configuration, Namespace arguments, Map<String, String> given)
      throws Exception {
    Object result;
    try (OpenKeys opened = open.apply(configuration)) {
      result = action(arguments).run(opened.keys(), given, opened.rules());
    }
    if (Terminal.isAttached() && !Boolean.TRUE.equals(arguments.getBoolean("json"))) {
      List<?> rows = result instanceof List<?> list ? list : List.of(result);
      KeyTable.print(rows.stream().map(KeyView.class::cast).toList(), out);
    } else {
      ObjectMapper json = bootstrap.getObjectMapper();
      out.println(json.writerWithDefaultPrettyPrinter().writeValueAsString(result));
    }
  }
}
