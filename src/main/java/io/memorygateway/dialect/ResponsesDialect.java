package io.memorygateway.dialect;

/** OpenAI Responses. */
public final class ResponsesDialect implements Dialect {

  @Override
  public byte[] prepare(RequestBody body, String upstreamModel) {
    return body.withModel(upstreamModel);
  }

  @Override
  public AnswerStream openStream() {
    return new ResponsesStream();
  }

  @Override
  public Usage usage(byte[] jsonAnswer) throws MalformedAnswerException {
    return OpenAiUsage.RESPONSES.readAnswer(jsonAnswer);
  }
}
