package io.memorygateway.http;

import java.util.Map;

/**
 * Something an operator asks for on the admin port: {@code POST /tasks/NAME?word=value}, answered
 * in JSON where nothing else is asked for.
 */
public interface AdminTask {

  /** The name in the path. */
  String name();

  /**
   * Does it.
   *
   * @param words the query or form parameters; of a repeated one, the first
   * @return what Jackson writes as the answer, or a {@link TextAnswer}
   * @throws ApiException for everything that the operator can mend
   */
  Object execute(Map<String, String> words);
}
