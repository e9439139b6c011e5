package io.memorygateway.quickstart;

/** A provider that config.yml ships, as the environment configures it. */
enum Provider {
  OPENAI("openai", "OPENAI", "/v1", "gpt-5-mini"),
  ANTHROPIC("anthropic", "ANTHROPIC", "", "claude-haiku-4-5"),
  GOOGLE("google", "GEMINI", "/v1beta/openai", "gemini-2.5-flash"),
  OPENROUTER("openrouter", "OPENROUTER", "/api/v1", "auto");

  private final String wireName;
  private final String variablePrefix;
  private final String basePath;
  private final String exampleModel;

  Provider(String wireName, String variablePrefix, String basePath, String exampleModel) {
    this.wireName = wireName;
    this.variablePrefix = variablePrefix;
    this.basePath = basePath;
    this.exampleModel = exampleModel;
  }

  /** As it stands before the slash in {@code model}. */
  String wireName() {
    return wireName;
  }

  String keyVariable() {
    return variablePrefix + "_API_KEY";
  }

  String urlVariable() {
    return variablePrefix + "_BASE_URL";
  }

  /** What its base URL has after the host. */
  String basePath() {
    return basePath;
  }

  /** A small model of its own, without prefix. */
  String exampleModel() {
    return exampleModel;
  }
}
