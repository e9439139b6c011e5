package io.memorygateway.format.translation;

import io.memorygateway.format.content.CallArguments;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tools of one call by their names at the target, which takes only some characters and so many
 * of them.
 */
public final class Names {
  private final Map<String, Tool> tools = new HashMap<>();
  private final Map<String, String> sent = new HashMap<>();
  private final Map<String, String> called = new HashMap<>();

  public Names(List<Tool> offered) {
    for (Tool tool : offered) {
      tools.put(tool.name(), tool);
      sent(tool.name());
    }
  }

  /** The name at the target; the same for the same name, whatever else is called. */
  public String sent(String name) {
    String known = sent.get(name);
    if (known != null) {
      return known;
    }
    String fit = CallArguments.fit(name, CallArguments.MAX_NAME);
    sent.put(name, fit);
    called.put(fit, name);
    return fit;
  }

  /** The caller's name of a tool that the target calls. */
  public String called(String sentName) {
    return called.getOrDefault(sentName, sentName);
  }

  /** The tool of a name of the caller; null if it offers none of it. */
  public @Nullable Tool tool(String name) {
    return tools.get(name);
  }
}
