package io.memorygateway.operator;

import io.memorygateway.audit.Actor;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;

/** The user of this machine as the actor of a command. */
public final class CommandActor {
  private CommandActor() {}

  /** Returns the current user, as an owner: commands have the password of the database. */
  public static Actor current() {
    return new Actor(
        System.getProperty("user.name", "?"),
        Role.OWNER.wireName(),
        "command on " + thisHost(),
        null);
  }

  private static String thisHost() {
    try {
      return InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT);
    } catch (UnknownHostException e) {
      return "an unknown host";
    }
  }
}
