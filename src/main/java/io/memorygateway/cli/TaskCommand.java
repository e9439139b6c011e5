package io.memorygateway.cli;

import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.Bootstrap;
import io.memorygateway.http.AdminTask;
import io.memorygateway.http.TextAnswer;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import net.sourceforge.argparse4j.inf.Namespace;
import net.sourceforge.argparse4j.inf.Subparser;

/**
 * An admin task as a command, with the same words. Its answer, and nothing else, goes to standard
 * output.
 */
public final class TaskCommand<C extends Configuration> extends DatabaseCommand<C> {
  private final List<Word> words;
  private final Function<C, AdminTask> task;
  private final PrintStream out;

  /**
   * A command of the same name as its task.
   *
   * @param words if {@code format} is among them, a terminal gets a table unless another is asked
   *     for
   */
  public TaskCommand(
      String name,
      String description,
      List<Word> words,
      Class<C> configurationClass,
      Function<C, AdminTask> task,
      PrintStream out) {
    super(name, description, configurationClass);
    this.words = List.copyOf(words);
    this.task = task;
    this.out = out;
  }

  @Override
  public void configure(Subparser command) {
    addWords(command, words);
  }

  @Override
  protected List<Word> words(Namespace arguments) {
    return words;
  }

  @Override
  protected void run(
      Bootstrap<?> bootstrap, C configuration, Namespace arguments, Map<String, String> given)
      throws Exception {
    Map<String, String> all = new LinkedHashMap<>(given);
    if (words.stream().anyMatch(word -> word.name().equals("format")) && Terminal.isAttached()) {
      all.putIfAbsent("format", "table");
    }
    Object answer = task.apply(configuration).execute(all);
    out.print(
        answer instanceof TextAnswer text
            ? text.text()
            : bootstrap
                    .getObjectMapper()
                    .writerWithDefaultPrettyPrinter()
                    .writeValueAsString(answer)
                + System.lineSeparator());
    out.flush();
  }
}
