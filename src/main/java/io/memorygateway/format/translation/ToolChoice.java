package io.memorygateway.format.translation;

import org.jspecify.annotations.Nullable;

/**
 * Which tools a model may or must call.
 *
 * @param name of the tool that it must call; only of {@link Mode#NAMED}
 */
public record ToolChoice(Mode mode, @Nullable String name) {
  /** How free the model is. */
  public enum Mode {
    AUTO,
    NONE,
    /** It must call one of them. */
    REQUIRED,
    /** It must call this one. */
    NAMED
  }

  public static final ToolChoice AUTO = new ToolChoice(Mode.AUTO, null);

  public static ToolChoice of(Mode mode) {
    return new ToolChoice(mode, null);
  }

  public static ToolChoice named(String name) {
    return new ToolChoice(Mode.NAMED, name);
  }
}
