package io.memorygateway.dialect;

/** Anthropic Messages. */
public final class MessagesDialect implements Dialect {

  @Override
  public byte[] prepare(RequestBody body, String upstreamModel) {
    return body.withModel(upstreamModel);
  }

  @Override
  public AnswerStream openStream() {
    return new MessagesStream();
  }

  @Override
  public Usage usage(byte[] jsonAnswer) throws MalformedAnswerException {
    return new AnthropicUsage().readAnswer(jsonAnswer);
  }
}
