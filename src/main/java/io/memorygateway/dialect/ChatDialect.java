package io.memorygateway.dialect;

/** OpenAI Chat Completions. */
public final class ChatDialect implements Dialect {

  /** Asks for the usage of a stream, asked for or not: it is on the last chunk (contract §6). */
  @Override
  public byte[] prepare(RequestBody body, String upstreamModel) {
    return body.stream()
        ? body.withModelAndStreamUsage(upstreamModel)
        : body.withModel(upstreamModel);
  }

  @Override
  public AnswerStream openStream() {
    return new ChatStream();
  }

  @Override
  public Usage usage(byte[] jsonAnswer) throws MalformedAnswerException {
    return OpenAiUsage.CHAT.readAnswer(jsonAnswer);
  }
}
