package io.memorygateway.auth;

import io.memorygateway.http.AdminTask;
import java.util.Map;
import java.util.Set;

/**
 * {@code POST /tasks/key-issue} and its like on the admin port.
 *
 * @param rules names of the rate-limit rules that a key may have a limit of its own for
 */
public record KeyTask(KeyAction action, ApiKeys keys, Set<String> rules) implements AdminTask {
  @Override
  public String name() {
    return "key-" + action.word();
  }

  @Override
  public Object execute(Map<String, String> words) {
    return action.run(keys, words, rules);
  }
}
