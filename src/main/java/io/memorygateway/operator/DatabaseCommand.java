package io.memorygateway.operator;

import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.cli.Command;
import io.dropwizard.core.setup.Bootstrap;
import io.memorygateway.http.errors.ApiException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.sourceforge.argparse4j.impl.Arguments;
import net.sourceforge.argparse4j.inf.Argument;
import net.sourceforge.argparse4j.inf.Namespace;
import net.sourceforge.argparse4j.inf.Subparser;
import org.jspecify.annotations.Nullable;

/** Command with parameters and a configuration file that works on the configured database. */
public abstract class DatabaseCommand<C extends Configuration> extends Command {
  private final Class<C> configurationClass;

  protected DatabaseCommand(String name, String description, Class<C> configurationClass) {
    super(name, description);
    this.configurationClass = configurationClass;
  }

  /** Names of the subcommands, of which the first argument is one; empty if there are none. */
  public List<String> actions() {
    return List.of();
  }

  /** Parameters of the command or of the chosen subcommand. */
  protected abstract List<Parameter> parameters(Namespace arguments);

  /**
   * Performs the command; errors that an operator can correct are thrown as {@link ApiException}.
   */
  protected abstract void run(
      Bootstrap<?> bootstrap, C configuration, Namespace arguments, Map<String, String> given)
      throws Exception;

  /**
   * Performs the command on a remote gateway, if the arguments name one, without a configuration or
   * a database.
   *
   * @return whether it was performed
   */
  protected boolean runRemotely(
      Bootstrap<?> bootstrap, Namespace arguments, Map<String, String> given) throws Exception {
    return false;
  }

  /** Adds parameters to a parser, and the configuration file as the last argument. */
  protected static void addParameters(Subparser command, List<Parameter> parameters) {
    for (Parameter parameter : parameters) {
      Argument argument =
          command
              .addArgument("--" + parameter.name())
              .dest(parameter.name())
              .required(parameter.required())
              .help(parameter.help());
      if (parameter.flag()) {
        argument.action(Arguments.storeConst()).setConst(Parameter.SET);
      }
    }
    command.addArgument("file").nargs("?").help("application configuration file");
  }

  /**
   * Opens the output of a command.
   *
   * @param file null for standard output
   */
  protected static OutputStream output(@Nullable String file, PrintStream standardOutput)
      throws IOException {
    return file == null ? leftOpen(standardOutput) : Files.newOutputStream(Path.of(file));
  }

  /** Stream that leaves its target open: standard output belongs to the process. */
  private static OutputStream leftOpen(PrintStream target) {
    return new FilterOutputStream(target) {
      @Override
      public void write(byte[] bytes, int offset, int length) {
        target.write(bytes, offset, length);
      }

      @Override
      public void close() {
        target.flush();
      }
    };
  }

  @Override
  public final void run(Bootstrap<?> bootstrap, Namespace arguments) throws Exception {
    Map<String, String> given = new LinkedHashMap<>();
    for (Parameter parameter : parameters(arguments)) {
      String value = arguments.getString(parameter.name());
      if (value != null) {
        given.put(parameter.name(), value);
      }
    }
    try {
      if (runRemotely(bootstrap, arguments, given)) {
        return;
      }
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
