package io.memorygateway.operator;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.cli.Command;
import io.dropwizard.core.setup.Bootstrap;
import io.memorygateway.http.errors.ApiException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.sourceforge.argparse4j.impl.Arguments;
import net.sourceforge.argparse4j.inf.Argument;
import net.sourceforge.argparse4j.inf.Namespace;
import net.sourceforge.argparse4j.inf.Subparser;
import org.jspecify.annotations.Nullable;

/**
 * Command with a configuration file that works on the configured database, or on a gateway whose
 * admin port its options name. It has parameters, or subcommands of which each has its own.
 */
public abstract class DatabaseCommand<C extends Configuration> extends Command {
  private static final String ACTION = "action";
  private static final String JSON = "json";
  private static final String URL = "url";
  private static final String TOKEN = "token";

  /**
   * Environment variable of the token, since the arguments of a process are visible to all users.
   */
  private static final String TOKEN_VARIABLE = "GATEWAY_ADMIN_TOKEN";

  private final List<TaskUsage> usages;
  private final boolean remote;

  /**
   * Creates a command.
   *
   * @param usages of its subcommands, or one of its own name
   * @param remote whether it can be done on a gateway that the options name
   */
  protected DatabaseCommand(
      String name, String description, List<TaskUsage> usages, boolean remote) {
    super(name, description);
    this.usages = List.copyOf(usages);
    this.remote = remote;
  }

  /**
   * A call of a command.
   *
   * @param usage of the command or of the chosen subcommand
   * @param given names and values of parameters
   * @param inJson whether JSON is requested where a terminal would be shown a table
   */
  protected record Call(
      Bootstrap<?> bootstrap, TaskUsage usage, Map<String, String> given, boolean inJson) {
    public ParameterValues values() {
      return new ParameterValues(given, usage.parameters());
    }

    public ObjectMapper json() {
      return bootstrap.getObjectMapper();
    }
  }

  /**
   * Performs the command; errors that an operator can correct are thrown as {@link ApiException}.
   */
  protected abstract void run(C configuration, Call call) throws Exception;

  /** Performs the command on a gateway, without a configuration or a database. */
  protected void runRemotely(RemoteGateway gateway, Call call) throws Exception {
    throw new UnsupportedOperationException(getName() + " is not done remotely");
  }

  /** Names of the subcommands, of which the first argument is one; empty if there are none. */
  public final List<String> actions() {
    List<String> names = usages.stream().map(TaskUsage::name).toList();
    return names.equals(List.of(getName())) ? List.of() : names;
  }

  @Override
  public final void configure(Subparser command) {
    if (actions().isEmpty()) {
      addArguments(command, usages.get(0));
      return;
    }
    var actions = command.addSubparsers().dest(ACTION);
    for (TaskUsage usage : usages) {
      Subparser action = actions.addParser(usage.name()).help(usage.help());
      addArguments(action.description(usage.help()), usage);
    }
  }

  private static Argument named(Subparser command, Parameter parameter) {
    return command
        .addArgument("--" + parameter.name())
        .dest(parameter.name())
        .help(parameter.help());
  }

  private void addArguments(Subparser command, TaskUsage usage) {
    if (usage.hasTable()) {
      command
          .addArgument("--" + JSON)
          .dest(JSON)
          .action(Arguments.storeTrue())
          .help("JSON, even on a terminal");
    }
    if (remote) {
      command
          .addArgument("--" + URL)
          .dest(URL)
          .help(
              "do it on the gateway whose admin port has this address, such as"
                  + " http://127.0.0.1:8081");
      command
          .addArgument("--" + TOKEN)
          .dest(TOKEN)
          .help("admin token for it; the environment variable " + TOKEN_VARIABLE + " if left out");
    }
    for (Parameter parameter : usage.parameters()) {
      switch (parameter.form()) {
        case POSITIONAL -> command.addArgument(parameter.name()).help(parameter.help());
        case FLAG ->
            named(command, parameter).action(Arguments.storeConst()).setConst(Parameter.SET);
        case NAMED, CLEARED ->
            named(command, parameter).required(parameter.required()).action(Arguments.append());
      }
    }
    command.addArgument("file").nargs("?").help("application configuration file");
  }

  @Override
  public final void run(Bootstrap<?> bootstrap, Namespace arguments) throws Exception {
    TaskUsage usage =
        usages.stream()
            .filter(each -> actions().isEmpty() || each.name().equals(arguments.getString(ACTION)))
            .findFirst()
            .orElseThrow();
    boolean inJson = Boolean.TRUE.equals(arguments.getBoolean(JSON));
    String url = arguments.getString(URL);
    try {
      Call call = new Call(bootstrap, usage, given(usage, arguments), inJson);
      if (url == null) {
        run(configuration(bootstrap, arguments.getString("file")), call);
      } else {
        String token = arguments.getString(TOKEN);
        runRemotely(
            new RemoteGateway(
                url, token == null ? System.getenv(TOKEN_VARIABLE) : token, call.json()),
            call);
      }
    } catch (ApiException e) {
      throw new IllegalArgumentException(e.error().message(), e);
    }
  }

  private static Map<String, String> given(TaskUsage usage, Namespace arguments) {
    Map<String, List<String>> given = new LinkedHashMap<>();
    for (Parameter parameter : usage.parameters()) {
      Object value = arguments.get(parameter.name());
      if (value != null) {
        given.put(
            parameter.name(),
            value instanceof List<?>
                ? arguments.getList(parameter.name())
                : List.of(value.toString()));
      }
    }
    return ParameterValues.once(given);
  }

  @SuppressWarnings("unchecked")
  private C configuration(Bootstrap<?> bootstrap, @Nullable String file)
      throws IOException, ConfigurationException {
    Bootstrap<C> typed = (Bootstrap<C>) bootstrap;
    var factory =
        typed
            .getConfigurationFactoryFactory()
            .create(
                typed.getApplication().getConfigurationClass(),
                bootstrap.getValidatorFactory().getValidator(),
                bootstrap.getObjectMapper(),
                "dw");
    return file == null
        ? factory.build()
        : factory.build(bootstrap.getConfigurationSourceProvider(), file);
  }
}
