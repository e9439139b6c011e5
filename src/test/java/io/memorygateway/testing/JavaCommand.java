package io.memorygateway.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command that runs a class of this class path in a JVM of its own, which starts quickly. */
public final class JavaCommand {
  private JavaCommand() {}

  public static List<String> of(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // What lives for seconds is not worth compiling twice.
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-XX:+UseSerialGC");
    // Surefire's own jar names the whole class path; beside it, everything would be found twice.
    String classPath = System.getProperty("java.class.path");
    command.addAll(List.of("-cp", System.getProperty("surefire.real.class.path", classPath)));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return command;
  }
}
