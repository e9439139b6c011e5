package io.memorygateway.ratelimit.window;

/** Which requests a rule counts, as {@code appliesTo} in the configuration. */
public enum AppliesTo {
  ALL,
  LLM,
  MEMORY,
  MEMORY_READ,
  MEMORY_WRITE;

  boolean covers(RequestKind kind) {
    return switch (this) {
      case ALL -> true;
      case LLM -> kind == RequestKind.LLM;
      case MEMORY -> kind == RequestKind.MEMORY_READ || kind == RequestKind.MEMORY_WRITE;
      case MEMORY_READ -> kind == RequestKind.MEMORY_READ;
      case MEMORY_WRITE -> kind == RequestKind.MEMORY_WRITE;
    };
  }
}
