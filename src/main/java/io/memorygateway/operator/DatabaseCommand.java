package io.memorygateway.operator;

import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.cli.Command;
import io.dropwizard.core.setup.Bootstrap;
import io.memorygateway.http.ApiException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.sourceforge.argparse4j.inf.Namespace;
import net.sourceforge.argparse4j.inf.Subparser;
import org.jspecify.annotations.Nullable;

/** A command that takes words and a configuration file, and works on the configured database. */
public abstract class DatabaseCommand<C extends Configuration> extends Command {
  private final Class<C> configurationClass;

  protected DatabaseCommand(String name, String description, Class<C> configurationClass) {
    super(name, description);
    this.configurationClass = configurationClass;
  }

  /** What the command takes, as it was called. */
  protected abstract List<Word> words(Namespace arguments);

  /** Does it. What an operator can mend is said as an {@link ApiException}. */
  protected abstract void run(
      Bootstrap<?> bootstrap, C configuration, Namespace arguments, Map<String, String> given)
      throws Exception;

  /** Has a parser take words, and the configuration file at last. */
  protected static void addWords(Subparser command, List<Word> words) {
    for (Word word : words) {
      command
          .addArgument("--" + word.name())
          .dest(word.name())
          .required(word.required())
          .help(word.help());
    }
    command.addArgument("file").nargs("?").help("application configuration file");
  }

  @Override
  public final void run(Bootstrap<?> bootstrap, Namespace arguments) throws Exception {
    Map<String, String> given = new LinkedHashMap<>();
    for (Word word : words(arguments)) {
      String value = arguments.getString(word.name());
      if (value != null) {
        given.put(word.name(), value);
      }
    }
    try {
      run(bootstrap, configuration(bootstrap, arguments.getString("file")), arguments, given);
    } catch (ApiException e) {
      throw new IllegalArgumentException(e.error().message(), e);
    }
  }

  @SuppressWarnings("unchecked")
  private C configuration(Bootstrap<?> bootstrap, @Nullable String file)
      throws IOException, ConfigurationException {
    var factory =
        ((Bootstrap<C>) bootstrap)
            .getConfigurationFactoryFactory()
            .create(
                configurationClass,
                bootstrap.getValidatorFactory().getValidator(),
                bootstrap.getObjectMapper(),
                "dw");
    return file == null
        ? factory.build()
        : factory.build(bootstrap.getConfigurationSourceProvider(), file);
  }
}
