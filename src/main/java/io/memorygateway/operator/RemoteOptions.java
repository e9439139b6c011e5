package io.memorygateway.operator;

import com.fasterxml.jackson.databind.ObjectMapper;
import net.sourceforge.argparse4j.inf.Namespace;
import net.sourceforge.argparse4j.inf.Subparser;
import org.jspecify.annotations.Nullable;

/** Command-line options that select a remote gateway. */
public final class RemoteOptions {
  private static final String URL = "url";
  private static final String TOKEN = "token";

  /**
   * Environment variable of the token, since the arguments of a process are visible to all users.
   */
  private static final String TOKEN_VARIABLE = "GATEWAY_ADMIN_TOKEN";

  private RemoteOptions() {}

  /** Adds the options to a parser. */
  public static void add(Subparser command) {
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

  /** The gateway that the options select; null if they select none. */
  public static @Nullable RemoteGateway gateway(Namespace arguments, ObjectMapper json) {
    String url = arguments.getString(URL);
    if (url == null) {
      return null;
    }
    String token = arguments.getString(TOKEN);
    return new RemoteGateway(url, token == null ? System.getenv(TOKEN_VARIABLE) : token, json);
  }
}
