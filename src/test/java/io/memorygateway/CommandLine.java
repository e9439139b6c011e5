package io.memorygateway;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.memorygateway.testing.JavaCommand;
import io.memorygateway.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The gateway's commands, as an operator types them. */
public final class CommandLine {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private final Map<String, String> environment = new HashMap<>();

  /** What a command left behind. */
  public record Outcome(int status, String out, String err) {
    /** Standard error without the line's end; the outcome has to be a failure told in one line. */
    public String failure() {
      if (status != 1 || !err.endsWith("\n") || err.strip().lines().count() != 1) {
        throw new AssertionError("not a failure in one line: " + this);
      }
      return err.strip();
    }
  }

  public CommandLine with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** With the environment that names a database, and any ports. */
  public CommandLine with(TestDatabase database) {
    return with("DATABASE_URL", database.url())
        .with("DATABASE_USER", database.user())
        .with("DATABASE_PASSWORD", database.password())
        .with("GATEWAY_PORT", "0")
        .with("GATEWAY_ADMIN_PORT", "0");
  }

  /** Runs a command in this process. */
  public Outcome run(String... arguments) {
    return run(new ByteArrayOutputStream(), arguments);
  }

  /** Likewise, with a standard output that takes nothing, as of a full disk. */
  public Outcome runUnread(String... arguments) {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("full");
          }
        };
    return run(full, arguments);
  }

  private Outcome run(OutputStream out, String... arguments) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int status =
        new MemoryGatewayApplication(
                environment,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8))
            .execute(arguments);
    String written =
        out instanceof ByteArrayOutputStream bytes ? bytes.toString(StandardCharsets.UTF_8) : "";
    return new Outcome(status, written, err.toString(StandardCharsets.UTF_8));
  }

  /** Runs it as a process of its own, which shows also what is written past the command. */
  public Outcome runAsProcess(String... arguments) throws IOException, InterruptedException {
    Path out = Files.createTempFile("memory-gateway", "out");
    Path err = Files.createTempFile("memory-gateway", "err");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(JavaCommand.of(MemoryGatewayApplication.class, arguments));
      builder.environment().keySet().removeIf(name -> name.startsWith("DATABASE_"));
      builder.environment().putAll(environment);
      Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      return new Outcome(process.waitFor(), Files.readString(out), Files.readString(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  /** The shipped config.yml with changes, written into a folder. */
  public static String config(Path folder, Consumer<ObjectNode> edit) throws IOException {
    ObjectNode config = (ObjectNode) YAML.readTree(Path.of("config.yml").toFile());
    edit.accept(config);
    Path file = Files.createTempFile(folder, "config", ".yml");
    YAML.writeValue(file.toFile(), config);
    return file.toString();
  }
}
