package io.memorygateway.operator;

import io.memorygateway.audit.Actor;

/** The user of this machine, as the one who runs a command. */
public final class CommandActor {
  private CommandActor() {}

  /** May do everything: whoever runs commands has the password of the database. */
  public static Actor current() {
    return new Actor(
        System.getProperty("user.name", "?"),
        Role.OWNER.word(),
        "command on " + OperatorModule.thisHost(),
        null);
  }
}
