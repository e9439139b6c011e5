package io.memorygateway.operator;

import io.memorygateway.http.ApiException;
import java.util.Map;

/**
 * Something that an operator asks for, by the same words on the admin port ({@code POST
 * /tasks/NAME?word=value}) and on the command line, answered in JSON where nothing else is asked
 * for.
 */
public interface AdminTask {

  TaskUsage usage();

  /**
   * Does it.
   *
   * @return what Jackson writes as the answer, or a {@link TextAnswer}
   * @throws ApiException for everything that the operator can mend
   */
  Object run(Words words);

  /** Whether it changes nothing with these words; what changes something is recorded. */
  default boolean isReadOnly(Words words) {
    return false;
  }

  /** The role that somebody needs who asks for it. */
  default Role role(Words words) {
    return isReadOnly(words) ? Role.VIEWER : Role.OPERATOR;
  }

  /** The answer for a terminal; of tasks whose usage says that there is one. */
  default Table table(Object answer) {
    throw new UnsupportedOperationException(usage().name() + " has no table");
  }

  /**
   * Reads the words and does it.
   *
   * @param given words and their values; of a repeated one, the first
   * @throws ApiException for everything that the operator can mend
   */
  default Object execute(Map<String, String> given) {
    return run(new Words(given, usage().words()));
  }
}
